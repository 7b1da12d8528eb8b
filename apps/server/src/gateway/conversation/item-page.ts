/** Lists of items as OpenAI's API returns them, a page at a time. Pure. */
import { lookupTable } from "@gateway/shared/lookup-table";
import { z } from "zod";
import type { Wire } from "#dialects/dialect.ts";
import { parseAt } from "#dialects/wire.ts";
import type { Item } from "#domain/responses/conversations.ts";
import { notFound } from "#errors.ts";

export interface ItemPage {
  object: "list";
  data: Item[];
  first_id: string | null;
  last_id: string | null;
  has_more: boolean;
}

const ItemQuery = z.object({
  limit: z.coerce.number().int().min(1).max(100).default(20),
  order: z.enum(["asc", "desc"]).default("desc"),
  after: z.string().optional(),
});

/** Items whose `status` OpenAI's types require. */
const hasStatus = lookupTable<true>({
  message: true,
  function_call: true,
  function_call_output: true,
  custom_tool_call: true,
  custom_tool_call_output: true,
});

/**
 * Returns the page of the items that a query selects: `limit`, `order`, `after`. Throws `invalid_request` for a query that is
 * not valid, and `not_found` for an item in `after` that does not exist: a client that pages would start again.
 */
export function pageOf(items: readonly Item[], query: unknown): ItemPage {
  const { limit, order, after } = parseAt(ItemQuery, query, "");
  const ordered = order === "asc" ? items : items.toReversed();
  const from = after === undefined ? 0 : ordered.findIndex((item) => item.id === after) + 1;
  if (after !== undefined && from === 0)
    throw notFound({ reason: "item_not_found", id: after }, { param: "after" });
  return encodePage(ordered.slice(from, from + limit), ordered.length > from + limit);
}

export function encodePage(items: readonly Item[], hasMore: boolean): ItemPage {
  const data = items.map(encodeItem);
  return {
    object: "list",
    data,
    first_id: data.at(0)?.id ?? null,
    last_id: data.at(-1)?.id ?? null,
    has_more: hasMore,
  };
}

/** Returns an item as OpenAI's types describe it: the content of a message is a list, and its status is present. */
export function encodeItem(item: Item): Item {
  if (hasStatus[String(item["type"])] === undefined) return item;
  const content = item["content"];
  const listed = typeof content === "string" ? { content: [textPart(item["role"], content)] } : {};
  return { ...item, ...listed, status: item["status"] ?? "completed" };
}

function textPart(role: unknown, text: string): Wire {
  return role === "assistant" ? { type: "output_text", text, annotations: [] } : { type: "input_text", text };
}
