/**
 * The search for tools that the client itself runs. Other dialects use a function; what the client found is
 * offered to them as ordinary tools.
 */
import { z } from "zod";
import type { Wire } from "#dialects/dialect.ts";
import type { Part, Tool } from "#dialects/ir.ts";
import { inputObject, ownFields } from "#dialects/wire.ts";

const NAME = "tool_search";

const searchTool = z.looseObject({
  execution: z.literal("client"),
  description: z.string().nullish(),
  parameters: z.record(z.string(), z.unknown()).nullish(),
});

/** Returns undefined for a search that the provider runs. */
export function decodeSearchTool(wire: Wire): Tool | undefined {
  const tool = searchTool.safeParse(wire).data;
  if (tool === undefined) return undefined;
  return {
    name: NAME,
    ...(tool.description && { description: tool.description }),
    ...(tool.parameters && { schema: tool.parameters }),
    freeform: { dialect: "openai-responses", fields: wire },
  };
}

export function isSearchTool({ freeform }: Tool): boolean {
  return ownFields("openai-responses", freeform)?.["type"] === NAME;
}

const call = z.looseObject({
  execution: z.literal("client"),
  call_id: z.string().min(1),
  arguments: z.unknown(),
});
const output = z.looseObject({ call_id: z.string().min(1), tools: z.array(z.unknown()) });

/** Decodes a call of the client's search; returns undefined for a search that the provider ran. */
export function decodeSearchCall(wire: Wire): Extract<Part, { type: "tool-call" }> | undefined {
  const { call_id: id, arguments: given } = call.safeParse(wire).data ?? {};
  if (id === undefined) return undefined;
  const input = typeof given === "string" ? given : JSON.stringify(given ?? {});
  return { type: "tool-call", id, name: NAME, input };
}

/** @param itemId id of the item in a response; undefined in a history */
export function searchCallItem(
  itemId: string | undefined,
  { id, input }: { id: string; input: string },
): Wire {
  const head = itemId === undefined ? {} : { id: itemId, status: "completed" };
  return {
    type: "tool_search_call",
    ...head,
    call_id: id,
    execution: "client",
    arguments: inputObject(input),
  };
}

const named = z.looseObject({ name: z.string(), description: z.string().nullish() });

/** Decodes what the client found: the item itself for its own dialect, the names for others. */
export function decodeSearchOutput(wire: Wire): Extract<Part, { type: "tool-result" }> | undefined {
  const found = output.safeParse(wire).data;
  if (found === undefined) return undefined;
  const lines = found.tools.flatMap((each) => {
    const tool = named.safeParse(each).data;
    return tool === undefined ? [] : [[tool.name, tool.description].filter(Boolean).join(": ")];
  });
  const text =
    lines.length === 0 ? "No tools were found." : `These tools can be called now:\n${lines.join("\n")}`;
  const item = {
    type: "foreign" as const,
    extra: { dialect: "openai-responses" as const, fields: wire },
    fallback: [{ type: "text" as const, text }],
  };
  return { type: "tool-result", callId: found.call_id, parts: [item] };
}

/** Returns the item of a result that `decodeSearchOutput` decoded. */
export function searchOutputItem({ parts }: Extract<Part, { type: "tool-result" }>): Wire | undefined {
  const [only] = parts;
  const fields = only?.type === "foreign" ? ownFields("openai-responses", only.extra) : undefined;
  return fields?.["type"] === "tool_search_output" ? fields : undefined;
}
