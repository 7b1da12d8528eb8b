/**
 * Items of the Responses wire as a conversation stores them, and as they are sent to a provider again. Pure.
 */
import { randomBytes } from "node:crypto";
import { lookupTable } from "@gateway/shared/lookup-table";
import { z } from "zod";
import type { Wire } from "#dialects/dialect.ts";
import { dialects } from "#dialects/index.ts";
import { listOf } from "#dialects/list-of.ts";
import { parseAt } from "#dialects/wire.ts";
import type { Item } from "#domain/responses/conversations.ts";
import { atField, GatewayError } from "#errors.ts";
import { requireStorable } from "#gateway/body/storable.ts";

const Items = listOf(z.looseObject({ type: z.string().nullish() }), { most: 1_000 });
const prefixes = lookupTable<string>({
  message: "msg",
  function_call: "fc",
  function_call_output: "fco",
  custom_tool_call: "ctc",
  custom_tool_call_output: "ctco",
  reasoning: "rs",
});

/** Returns a caller's items, validated as input. `at` is the field that contains them. */
export function itemsGiven(value: unknown, at: "items" | "input"): Item[] {
  const given = parseAt(Items, asItems(value), at);
  requireStorable(given, at);
  try {
    dialects["openai-responses"].decodeRequest({ model: "-", input: given }, {});
  } catch (error) {
    if (!(error instanceof GatewayError) || error.param === undefined) throw error;
    const path = error.param.replace(/^input/, at);
    throw atField(error, path);
  }
  return given.map(storedItem);
}

/** Returns the items of an input. A plain text is a user message. */
export function asItems(value: unknown): unknown {
  if (typeof value !== "string") return value ?? [];
  return [{ type: "message", role: "user", content: [{ type: "input_text", text: value }] }];
}

/** Returns the item with an id and an explicit type. */
export function storedItem(item: Wire): Item {
  const type = typeof item["type"] === "string" ? item["type"] : "message";
  const own = item["id"];
  const id =
    typeof own === "string" && own !== ""
      ? own
      : `${prefixes[type] ?? "item"}_${randomBytes(24).toString("hex")}`;
  return { ...item, type, id };
}

/**
 * Returns the items for the next provider: without ids, which only their provider knows, and without unsigned
 * reasoning.
 */
export function repeatable(items: readonly Item[]): Wire[] {
  return items.flatMap<Wire>((item) => {
    const { id: _id, status: _status, ...fields } = item;
    const type = String(item["type"]);
    if (type === "reasoning" && typeof item["encrypted_content"] !== "string") return [];
    return [prefixes[type] === undefined ? item : fields];
  });
}

/** Whether the items contain data that only the provider that wrote it can read. */
export function hasEncryptedContent(items: readonly Item[]): boolean {
  return items.some((item) => typeof item["encrypted_content"] === "string");
}
