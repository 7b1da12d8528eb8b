/** Errors that a screen shows where their answer should be: they need no toast. */
const shown = new WeakSet<object>();

export function markShown(error: unknown): void {
  if (typeof error === "object" && error !== null) shown.add(error);
}

export function isShown(error: object): boolean {
  return shown.has(error);
}
