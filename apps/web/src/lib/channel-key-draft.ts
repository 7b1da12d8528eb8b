/**
 * A provider key that the palette passes to the form of a new channel. In memory only: it must appear neither in the
 * address, nor in the history, nor in a request before the form is saved.
 */

let pastedKey = "";

export function passKey(key: string): void {
  pastedKey = key;
}

/** Returns the key; "" for none. It stays until `clearKey`, because a component may be rendered twice. */
export function peekKey(): string {
  return pastedKey;
}

export function clearKey(): void {
  pastedKey = "";
}
