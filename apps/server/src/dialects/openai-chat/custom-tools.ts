/** Tools with plain text input, as chat completions spell them. The IR uses the form of the Responses API. */
import { z } from "zod";
import type { Wire } from "#dialects/dialect.ts";
import type { ChatRequest, Part, Tool } from "#dialects/ir.ts";
import { decodeFreeformTool, unwrapInput, wrapInput } from "#dialects/openai-responses/freeform.ts";
import { parseAt } from "#dialects/wire.ts";

const customTool = z.looseObject({
  name: z.string().min(1),
  description: z.string().nullish(),
  format: z.looseObject({ type: z.string(), grammar: z.record(z.string(), z.unknown()).nullish() }).nullish(),
});

/** Decodes a tool. Throws `invalidRequest`; `at` is the path of the tool. */
export function decodeCustomTool(wire: unknown, at: string): Tool | undefined {
  const { name, description, format } = parseAt(customTool, wire, `${at}.custom`);
  return decodeFreeformTool({
    type: "custom",
    name,
    ...(description && { description }),
    ...(format && { format: { type: format.type, ...format.grammar } }),
  });
}

const customCall = z.looseObject({ name: z.string().min(1), input: z.string() });

export function decodeCustomCall(id: string, wire: unknown, at: string): Part {
  const { name, input } = parseAt(customCall, wire, `${at}.custom`);
  return { type: "tool-call", id, name, input: wrapInput(input) };
}

/** Returns the names of the tools that this client wants called with plain text. */
export function customNames({ tools }: Pick<ChatRequest, "tools">): ReadonlySet<string> {
  return new Set(tools?.filter((tool) => tool.freeform !== undefined).map((tool) => tool.name));
}

export function encodeCustomCall({ id, name, input }: { id: string; name: string; input: string }): Wire {
  return { id, type: "custom", custom: { name, input: unwrapInput(input) } };
}
