import { z } from "zod";
import type { Wire } from "./dialect.ts";
import { parseJson, parseRecord, readAs } from "./wire.ts";

/** Embeddings on OpenAI's wire, in the two forms a vector has there: numbers, or base64 of 32-bit floats. Pure. */

const answer = z.looseObject({
  data: z.array(
    z.looseObject({
      index: z.int().nonnegative().nullish(),
      embedding: z.union([z.array(z.number()), z.string()]),
    }),
  ),
});

/** In the order of the inputs; undefined when this is no answer with vectors. */
export function vectorsIn(body: string): number[][] | undefined {
  const { data } = readAs(answer, parseJson(body)) ?? {};
  return data
    ?.map((entry, position) => ({ at: entry.index ?? position, values: numbersOf(entry.embedding) }))
    .sort((one, other) => one.at - other.at)
    .map(({ values }) => values);
}

/** Whether the first vector in this beginning of an answer has the form. */
export function isInForm(head: string, form: "float" | "base64"): boolean {
  return (form === "base64" ? /"embedding"\s*:\s*"/ : /"embedding"\s*:\s*\[/).test(head);
}

/** Some providers do not know the form that was asked for, or know only base64: every client gets the form it asked for. */
export function inForm(body: string, form: "float" | "base64"): string {
  // Most answers are right as they are, and large.
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
