/**
 * JSON whose numbers keep their text. `JSON.parse` rounds integers above 2^53, such as ids in the arguments of a
 * tool call, and turns numbers above 10^308 into `null` when they are written again. Such a number is parsed to an
 * object that `JSON.stringify` writes exactly as it came. All other values are those of `JSON.parse`. Pure.
 */

/** A number that JavaScript cannot hold. */
export interface ExactNumber {
  readonly rawJSON: string;
}

/** Functions of Node.js that the type library does not declare yet. */
const json = JSON as typeof JSON & {
  rawJSON(text: string): ExactNumber;
  isRawJSON(value: unknown): value is ExactNumber;
};

/** Finds most texts without such a number. It may find others, too. */
const perhapsLong = /(?:^|[[:,\s])-?(?:\d[\d.]{15}|\d+(?:\.\d+)?[eE]\+?\d{3})/;

/** Significant digits that every number of JavaScript keeps. */
const SAFE_DIGITS = 17;

export function isExactNumber(value: unknown): value is ExactNumber {
  return typeof value === "object" && value !== null && json.isRawJSON(value);
}

/** @param text a number in JSON */
export function exactNumber(text: string): number | ExactNumber {
  const value = Number(text);
  return isKept(value, text) ? value : json.rawJSON(text);
}

function isKept(value: number, text: string): boolean {
  if (!Number.isFinite(value)) return false;
  if (/^-?\d+$/.test(text)) return Number.isSafeInteger(value) || String(value) === text;
  const [digits = ""] = text.split(/[eE]/, 1);
  return digits.replaceAll(/\D/g, "").replace(/^0+/, "").length <= SAFE_DIGITS;
}

function keepNumber(_key: string, value: unknown, context?: { source?: string }): unknown {
  if (typeof value !== "number" || context?.source === undefined) return value;
  return isKept(value, context.source) ? value : json.rawJSON(context.source);
}

/** Parses JSON. Throws SyntaxError. */
export function parseExact(text: string, mayBeLong = perhapsLong.test(text)): unknown {
  return mayBeLong ? (JSON.parse(text, keepNumber) as unknown) : (JSON.parse(text) as unknown);
}

/** Fields of a request that may hold any 64-bit number. */
const anyNumber = new Set(["seed", "random_seed"]);

/**
 * Rounds the numbers of the settings of a request, which are at its root: they are read as numbers. Numbers
 * further inside belong to schemas, arguments and metadata, which pass through.
 */
export function roundSettings(body: Record<string, unknown>): void {
  for (const [key, value] of Object.entries(body))
    if (isExactNumber(value) && !anyNumber.has(key)) body[key] = Number(value.rawJSON);
}
