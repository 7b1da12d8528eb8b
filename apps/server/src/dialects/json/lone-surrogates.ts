/**
 * JSON texts without half surrogates. A client that cuts a text in the middle of an emoji sends `\ud83d` alone,
 * which strict providers reject as invalid JSON.
 */

/** Beginnings of escapes from U+D000 on, among which surrogates are. */
const starts = ["\\ud", "\\uD"].map((text) => Buffer.from(text));
const SURROGATE = /[dD]/;
/** A backslash with its character, a pair of surrogates, or a single one: in this order. */
const escapes =
  /\\(?:u[dD][89abAB][\da-fA-F]{2}\\u[dD][c-fC-F][\da-fA-F]{2}|u[dD][89a-fA-F][\da-fA-F]{2}|[\s\S])/g;
const REPLACEMENT = "\\ufffd";
/** Length of one escape; a pair has twice as many characters. */
const ONE = 6;

function replaceEscapes(text: string): string {
  return text.replaceAll(escapes, (found) =>
    found.length === ONE && SURROGATE.test(found.charAt(2)) ? REPLACEMENT : found,
  );
}

/** Returns the same body when it has no escaped surrogates. */
export function replaceLoneSurrogates(body: string | Buffer): string | Buffer {
  if (typeof body === "string") return /\\u[dD][89a-fA-F]/.test(body) ? replaceEscapes(body) : body;
  // Latin-1 keeps every byte, and escapes are ASCII.
  return starts.some((start) => hasSurrogate(body, start))
    ? Buffer.from(replaceEscapes(body.toString("latin1")), "latin1")
    : body;
}

/** The digit 7: the escapes before it are Korean letters. */
const SEVEN = 0x37;

function hasSurrogate(body: Buffer, start: Buffer): boolean {
  let at = body.indexOf(start);
  while (at !== -1) {
    if ((body[at + start.length] ?? 0) > SEVEN) return true;
    at = body.indexOf(start, at + start.length);
  }
  return false;
}
