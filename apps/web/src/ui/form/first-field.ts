const field =
  ":is(input:not([type=hidden], [type=file], [type=radio]:not(:checked)), textarea):not(:disabled)";

/**
 * Gives the focus of a dialog to the control that the dialog marks itself, else to the first field or, without one, the
 * first button. Otherwise it would be on the link to Help in the header. What is loaded after the dialog has opened gets
 * it, too. Returns what ends the wait for it; a ref of the dialog's body can call this.
 */
export function focusFirstField(body: HTMLElement | null): (() => void) | undefined {
  if (body === null || mark(body) !== null) return undefined;
  const observer = new MutationObserver(() => {
    const first = mark(body);
    if (first === null) return;
    observer.disconnect();
    if (!body.contains(document.activeElement)) first.focus({ preventScroll: true });
  });
  observer.observe(body, { childList: true, subtree: true });
  return () => observer.disconnect();
}

/** Marks a control for the dialog, which focuses it when it opens. Returns null while there is none. */
function mark(body: HTMLElement): HTMLElement | null {
  const first =
    body.querySelector<HTMLElement>("[data-autofocus]") ??
    body.querySelector<HTMLElement>(field) ??
    body.querySelector<HTMLElement>("button:not(:disabled)");
  first?.setAttribute("data-autofocus", "");
  return first;
}
