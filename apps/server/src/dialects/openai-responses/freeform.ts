/**
 * Tools with plain text input instead of JSON; agents of the Responses API edit files with them. Other
 * dialects use a function with one string, `input`. The model's value of it is returned to the client as
 * plain text.
 */
import { z } from "zod";
import type { Wire } from "#dialects/dialect.ts";
import type { Tool } from "#dialects/ir.ts";
import { parseRecord } from "#dialects/wire.ts";

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

/** Decodes a plain text tool. Other dialects cannot enforce a grammar, so the description contains it. */
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

/** Returns the text of the `input` string. When the model ignored the wrapper, returns the text unchanged. */
export function unwrapInput(input: string): string {
  const text = parseRecord(input)?.["input"];
  return typeof text === "string" ? text : input;
}
