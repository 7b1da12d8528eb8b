/** A key as its source returned it. */
export interface KeyValue {
  text: string;
  /** In milliseconds since 1970; absent when the source does not limit it. */
  expiresAt?: number;
}

/** Thrown when a key that is stored elsewhere cannot be read. The message never contains the key. */
export class KeyUnavailableError extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, { cause });
    this.name = "KeyUnavailableError";
  }
}

/** Longest key, in bytes. Google's key files have about 2,400. */
export const MAX_KEY_BYTES = 16 * 1024;

/** Returns the key without white space around it, and a JSON document on one line. Throws KeyUnavailableError. */
export function keyIn(text: string): string {
  const key = text.trim();
  if (key === "") throw new KeyUnavailableError("it is empty");
  if (Buffer.byteLength(key) > MAX_KEY_BYTES)
    throw new KeyUnavailableError(`it is longer than ${MAX_KEY_BYTES} bytes`);
  if (key.startsWith("{")) return documentIn(key);
  // A line break would end the header that carries the key.
  // oxlint-disable-next-line no-control-regex
  if (/[\0-\x1f\x7f]/.test(key))
    throw new KeyUnavailableError("it contains a line break or a control character");
  return key;
}

function documentIn(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text));
  } catch {
    // Without the cause: its message quotes the text.
    throw new KeyUnavailableError("it begins like a JSON document, but is not one");
  }
}
