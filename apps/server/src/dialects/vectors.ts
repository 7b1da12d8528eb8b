import { z } from "zod";
import type { Wire } from "./dialect.ts";
import { parseJson, parseRecord, readAs } from "./wire.ts";

/**
 * Embeddings in OpenAI's format, with both encodings of a vector: numbers, or base64 of 32-bit floats. Pure.
 */

const answer = z.looseObject({
  data: z.array(
    z.looseObject({
      index: z.int().nonnegative().nullish(),
      embedding: z.union([z.array(z.number()), z.string()]),
    }),
  ),
});

/** Returns the vectors in the order of the inputs; undefined when the response contains no vectors. */
export function vectorsIn(body: string): number[][] | undefined {
  const { data } = readAs(answer, parseJson(body)) ?? {};
  return data
    ?.map((entry, position) => ({ at: entry.index ?? position, values: numbersOf(entry.embedding) }))
    .sort((one, other) => one.at - other.at)
    .map(({ values }) => values);
}

/** Returns whether the first vector in the start of a response has this encoding. */
export function isInForm(head: string, form: "float" | "base64"): boolean {
  return (form === "base64" ? /"embedding"\s*:\s*"/ : /"embedding"\s*:\s*\[/).test(head);
}

/** Converts the vectors to the requested encoding. Some providers ignore it, or support only base64. */
export function inForm(body: string, form: "float" | "base64"): string {
  // Most responses are large and already have the right encoding.
  if (!(form === "base64" ? /"embedding"\s*:\s*\[/ : /"embedding"\s*:\s*"/).test(body)) return body;
  const wire = parseRecord(body);
  const read = wire === undefined ? undefined : readAs(answer, wire);
  if (wire === undefined || read === undefined) return body;
  const data = read.data.map<Wire>((entry) => ({
    ...entry,
    embedding: form === "base64" ? base64Of(numbersOf(entry.embedding)) : numbersOf(entry.embedding),
  }));
  return JSON.stringify({ ...wire, data });
}

function numbersOf(value: number[] | string): number[] {
  if (typeof value !== "string") return value;
  const bytes = Buffer.from(value, "base64");
  return Array.from({ length: Math.floor(bytes.length / 4) }, (_, index) => bytes.readFloatLE(index * 4));
}

function base64Of(values: number[]): string {
  const bytes = Buffer.alloc(values.length * 4);
  for (const [index, value] of values.entries()) bytes.writeFloatLE(value, index * 4);
  return bytes.toString("base64");
}
