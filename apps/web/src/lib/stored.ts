/** What the browser keeps for this site. It may refuse, or have no room left: then nothing is kept, and nothing breaks. */
type Place = "localStorage" | "sessionStorage";

export function kept(key: string, place: Place = "localStorage"): string | null {
  try {
    return window[place].getItem(key);
  } catch {
    return null;
  }
}

/** Forgets everything whose key begins like this. */
export function forgetAll(prefix: string): void {
  try {
    const keys = Array.from({ length: localStorage.length }, (_, index) => localStorage.key(index) ?? "");
    for (const key of keys) if (key.startsWith(prefix)) localStorage.removeItem(key);
  } catch {
    // The browser keeps nothing.
  }
}

/** @param value null forgets */
export function keep(key: string, value: string | null, place: Place = "localStorage"): void {
  try {
    if (value === null) window[place].removeItem(key);
    else window[place].setItem(key, value);
  } catch {
    // The next visit begins without it.
  }
}
