/**
 * Marks the first control of a dialog for the focus, unless the dialog marks one itself. Otherwise the focus would be on
 * the link to Help in the header.
 */
export function markFirstField(body: HTMLElement | null): void {
  if (body === null || body.querySelector("[data-autofocus]")) return;
  const control = ":is(input:not([type=hidden], [type=file], [type=radio]:not(:checked)), textarea, button)";
  body.querySelector(`${control}:not(:disabled)`)?.setAttribute("data-autofocus", "");
}
