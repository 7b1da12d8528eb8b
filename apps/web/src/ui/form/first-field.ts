const field =
  ":is(input:not([type=hidden], [type=file], [type=radio]:not(:checked)), textarea):not(:disabled)";

/**
 * Marks the first field of a dialog for the focus, or its first button if it has no field, unless the dialog marks a
 * control itself. Otherwise the focus would be on the link to Help in the header.
 */
export function markFirstField(body: HTMLElement | null): void {
  if (body === null || body.querySelector("[data-autofocus]")) return;
  const first = body.querySelector(field) ?? body.querySelector("button:not(:disabled)");
  first?.setAttribute("data-autofocus", "");
}
