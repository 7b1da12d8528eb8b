/** Errors that a screen shows in place of its content. They need no toast. */
const shown = new WeakSet<object>();

export function markShown(error: unknown): void {
  if (typeof error === "object" && error !== null) shown.add(error);
}

export function isShown(error: object): boolean {
  return shown.has(error);
}
