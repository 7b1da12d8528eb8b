const field =
  ":is(input:not([type=hidden], [type=file], [type=radio]:not(:checked)), textarea):not(:disabled)";

/**
 * Gives the focus of a dialog to the control that the dialog marks itself, else to the first field or, without one, the
 * first button. Until one of them is loaded, the body has the focus. Otherwise it would be on the link to Help in the
 * header. Returns what ends the wait for late content; a ref of the dialog's body can call this.
 */
export function focusFirstField(body: HTMLElement | null): (() => void) | undefined {
  if (body === null) return undefined;
  let marked = markFirst(body, null);
  const observer = new MutationObserver(() => {
    const before = marked;
    marked = markFirst(body, before);
    if (marked === before) return;
    const active = document.activeElement;
    // Never from a control that the user has chosen. The document has the focus of a removed one.
    if (active === body || active === before || active === document.body)
      marked.focus({ preventScroll: true });
  });
  observer.observe(body, { childList: true, subtree: true });
  return () => observer.disconnect();
}

/** Marks a control for the dialog, which focuses it when it opens. Removes the mark from the one before. */
function markFirst(body: HTMLElement, before: HTMLElement | null): HTMLElement {
  const isKept = before !== null && body.contains(before) && before.matches(field);
  const first =
    // As React writes it; the mark of this module is empty.
    body.querySelector<HTMLElement>("[data-autofocus=true]") ??
    (isKept ? before : null) ??
    body.querySelector<HTMLElement>(field) ??
    body.querySelector<HTMLElement>("button:not(:disabled)") ??
    body;
  if (first === before) return first;
  if (before?.getAttribute("data-autofocus") === "") before.removeAttribute("data-autofocus");
  if (first === body) {
    body.tabIndex = -1;
    body.style.outline = "none";
  }
  if (!first.hasAttribute("data-autofocus")) first.setAttribute("data-autofocus", "");
  return first;
}
