import { z } from "zod";
import type { Wire } from "#dialects/dialect.ts";
import type { Tool } from "#dialects/ir.ts";
import { asRecord, parseRecord } from "#dialects/wire.ts";

/**
 * Tools whose input is plain text, not JSON: agents of this wire edit files with them. Every other dialect sees a
 * function with one string, `input`, and what a model writes there is told to the client as the plain text.
 */

const customTool = z.looseObject({
  name: z.string().min(1),
  description: z.string().nullish(),
  format: z.looseObject({ syntax: z.string().nullish(), definition: z.string().nullish() }).nullish(),
});

const schema = {
  type: "object",
  properties: { input: { type: "string" } },
  required: ["input"],
  additionalProperties: false,
};

/** A grammar cannot be enforced elsewhere, so it is told to the model in the description. */
export function decodeFreeformTool(wire: Wire): Tool | undefined {
  const tool = customTool.safeParse(wire).data;
  if (tool === undefined) return undefined;
  const { syntax, definition } = tool.format ?? {};
  const grammar = definition
    ? `The input must follow this ${syntax ?? "text"} grammar:\n${definition}`
    : undefined;
  const description = [tool.description, grammar].filter(Boolean).join("\n\n");
  return {
    name: tool.name,
    ...(description !== "" && { description }),
    schema,
    freeform: { dialect: "openai-responses", fields: wire },
  };
}

export function wrapInput(text: string): string {
  return JSON.stringify({ input: text });
}

/** What a model wrote for the one string; a model that ignored the wrapping is taken at its word. */
export function unwrapInput(input: string): string {
  const text = asRecord(parseRecord(input))?.["input"];
  return typeof text === "string" ? text : input;
}
