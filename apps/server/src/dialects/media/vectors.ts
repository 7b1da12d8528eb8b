/**
 * Embeddings in OpenAI's format, with both encodings of a vector: numbers, or base64 of 32-bit floats. Responses
 * have up to millions of numbers, so each vector is taken out of the text and converted on its own, and other
 * requests are served in between.
 */
import { setImmediate as nextTurn } from "node:timers/promises";
import { z } from "zod";
import type { Wire } from "#dialects/dialect.ts";
import { parseSmall } from "#dialects/json/parse-json.ts";
import { asRecord, readAs } from "#dialects/wire.ts";

/** A response without its vectors. */
interface LiftedVectors {
  /** The JSON text. Each vector is replaced by its position in `vectors`. */
  rest: string;
  /** The JSON text of each vector. */
  vectors: string[];
}

/** Maximum length of a vector, in characters. The longest ones have 65,536 numbers. */
const MAX_VECTOR = 2 * 1024 * 1024;
/** Characters that are converted in one piece. */
const PIECE = 256 * 1024;

/** Returns a function to call with the characters of each step. It serves other requests once there were many. */
function pauses(): (characters: number) => Promise<unknown> | undefined {
  let done = 0;
  return (characters) => {
    done += characters;
    if (done < PIECE) return undefined;
    done = 0;
    return nextTurn();
  };
}

/**
 * Takes the vectors out of a response. Returns undefined for a text with a vector that does not end, or is too
 * long.
 * @param key name of the field with a vector
 */
export async function liftVectors(text: string, key: string): Promise<LiftedVectors | undefined> {
  const begin = new RegExp(`"${key}"\\s*:\\s*(?=["[])`, "g");
  const pause = pauses();
  const vectors: string[] = [];
  const rest: string[] = [];
  let at = 0;
  while (begin.exec(text) !== null) {
    const from = begin.lastIndex;
    const end = text.indexOf(text.startsWith("[", from) ? "]" : '"', from + 1);
    if (end === -1 || end - from > MAX_VECTOR) return undefined;
    rest.push(text.slice(at, from), String(vectors.length));
    vectors.push(text.slice(from, end + 1));
    at = end + 1;
    begin.lastIndex = at;
    await pause(at - from);
  }
  return { rest: rest.join("") + text.slice(at), vectors };
}

const answer = z.looseObject({
  data: z.array(z.looseObject({ index: z.int().nonnegative().nullish(), embedding: z.int() })),
});

interface ExtractedVectors {
  wire: Wire;
  data: z.infer<typeof answer>["data"];
  vectors: string[];
}

/** Returns the parts of a response; undefined for one that contains no vectors. */
async function readVectors(body: string): Promise<ExtractedVectors | undefined> {
  const found = await liftVectors(body, "embedding");
  const wire = found && asRecord(parseSmall(found.rest));
  const read = wire && readAs(answer, wire);
  if (found === undefined || wire === undefined || read === undefined) return undefined;
  // Numbers that stood there before would be taken for vectors.
  const isWhole = read.data.every(({ embedding }, index) => embedding === index);
  return isWhole && read.data.length === found.vectors.length
    ? { wire, data: read.data, vectors: found.vectors }
    : undefined;
}

/** Returns the vectors as JSON lists, in the order of the inputs; undefined when the response contains none. */
export async function vectorsIn(body: string): Promise<string[] | undefined> {
  const found = await readVectors(body);
  if (found === undefined) return undefined;
  const pause = pauses();
  const vectors: { at: number; text: string }[] = [];
  for (const [position, entry] of found.data.entries()) {
    const numbers = numbersIn(found.vectors[position] ?? "");
    if (numbers === undefined) return undefined;
    const text = JSON.stringify(numbers);
    vectors.push({ at: entry.index ?? position, text });
    await pause(text.length);
  }
  return vectors.sort((one, other) => one.at - other.at).map(({ text }) => text);
}

/** Returns whether a vector in the text has this encoding. */
export function isInForm(head: string, form: "float" | "base64"): boolean {
  return (form === "base64" ? /"embedding"\s*:\s*"/ : /"embedding"\s*:\s*\[/).test(head);
}

/** Converts the vectors to the requested encoding. Some providers ignore it, or support only base64. */
export async function inForm(body: string, form: "float" | "base64"): Promise<string> {
  // Most responses are large and already have the right encoding.
  if (!isInForm(body, form === "base64" ? "float" : "base64")) return body;
  const found = await readVectors(body);
  if (found === undefined) return body;
  const pause = pauses();
  const vectors: string[] = [];
  for (const vector of found.vectors) {
    const numbers = numbersIn(vector);
    if (numbers === undefined) return body;
    vectors.push(JSON.stringify(form === "base64" ? base64Of(numbers) : numbers));
    await pause(vector.length);
  }
  const data = found.data.map((entry, index) => {
    const { embedding: _position, ...others } = entry;
    return withField(others, "embedding", vectors[index] ?? "[]");
  });
  const { data: _data, ...others } = found.wire;
  return withField(others, "data", `[${data.join(",")}]`);
}

/** Returns the JSON of an object with one more field. @param json the JSON of its value */
function withField(object: Wire, field: string, json: string): string {
  const begun = JSON.stringify(object).slice(0, -1);
  return `${begun}${begun === "{" ? "" : ","}"${field}":${json}}`;
}

/** Returns the numbers of a vector, in either encoding; undefined for anything else. */
function numbersIn(vector: string): number[] | undefined {
  const value = parseSmall(vector);
  if (Array.isArray(value)) return value.every((each) => typeof each === "number") ? value : undefined;
  if (typeof value !== "string") return undefined;
  const bytes = Buffer.from(value, "base64");
  return Array.from({ length: Math.floor(bytes.length / 4) }, (_, index) => bytes.readFloatLE(index * 4));
}

function base64Of(values: number[]): string {
  const bytes = Buffer.alloc(values.length * 4);
  for (const [index, value] of values.entries()) bytes.writeFloatLE(value, index * 4);
  return bytes.toString("base64");
}
