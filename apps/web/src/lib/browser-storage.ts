/**
 * Browser storage of this site. When the browser denies it or
 * it is full, nothing is stored and nothing fails.
 */
type Place = "localStorage" | "sessionStorage";

export function readStorage(key: string, place: Place = "localStorage"): string | null {
  try {
    return window[place].getItem(key);
  } catch {
    return null;
  }
}

/** Removes all keys with this prefix. */
export function clearStorage(prefix: string): void {
  try {
    const keys = Array.from({ length: localStorage.length }, (_, index) => localStorage.key(index) ?? "");
    for (const key of keys) if (key.startsWith(prefix)) localStorage.removeItem(key);
  } catch {
    // The browser keeps nothing.
  }
}

/** @param value null removes the key */
export function writeStorage(key: string, value: string | null, place: Place = "localStorage"): void {
  try {
    if (value === null) window[place].removeItem(key);
    else window[place].setItem(key, value);
  } catch {
    // The next visit begins without it.
  }
}
