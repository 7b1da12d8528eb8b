import { reasonOf } from "@gateway/shared/reasons";
import { addressOf, channelOf, disable, fit, modelsOf, ranksOf } from "#migration/family/channel-fields.ts";
import type { ReadContext } from "#migration/products/product.ts";
import type { ChannelRecord } from "#migration/records.ts";
import { truncateText, flag, int, json, list, text, whole } from "#migration/row.ts";
import type { SourceRow } from "#migration/sources/source.ts";

/** Resellers of 2023 that spoke OpenAI's API at their own address. */
const resellers = new Set([2, 4, 5, 6, 7, 9, 10, 12, 13, 21, 22]);
const custom = 8;
const known = new Set([1, 3, 8, 11, 14, 15, 16, 17, 18, 19, 20, 51, 52, 53, 54, 55, 56]);
const isKnown = (type: number) => known.has(type) || (type >= 23 && type <= 49 && type !== 50);

export async function* oneHubChannels(context: ReadContext): AsyncGenerator<ChannelRecord> {
  const rankOf = await ranksOf(context);
  for await (const row of context.source.rows({ table: "channels", orderBy: "id" })) {
    context.book.read("channels");
    if (int(row, "id") <= 0) {
      context.book.skip("channels", "channel_id_unusable");
      continue;
    }
    yield channel(row, context, rankOf(row));
  }
}

function channel(row: SourceRow, { book }: ReadContext, priority: number): ChannelRecord {
  const made = channelOf(row, {});
  const { id } = made;
  made.input = {
    ...made.input,
    type: typeOf(row, made, book),
    base_url: addressOf(made, text(row, "base_url"), book),
    other: truncateText(text(row, "other").trim(), 500),
    models: modelsOf(id, list(text(row, "models")), book),
    groups: list(text(row, "group")),
    tag: truncateText(text(row, "tag").trim(), 64),
    priority,
    weight: Math.min(1_000_000, Math.max(1, whole(row, "weight"))),
    model_mapping: fit(id, "model_mapping", json(row, "model_mapping") ?? {}, book),
    model_headers: fit(id, "model_headers", json(row, "model_headers") ?? {}, book),
    custom_parameter: fit(id, "custom_parameter", json(row, "custom_parameter") ?? {}, book),
    disabled_stream: fit(id, "disabled_stream", json(row, "disabled_stream") ?? [], book),
    proxy: fit(id, "proxy", text(row, "proxy").trim(), book),
    test_model: fit(id, "test_model", text(row, "test_model"), book),
    only_chat: flag(row, "only_chat"),
    pre_cost: fit(id, "pre_cost", whole(row, "pre_cost") || 1, book),
    compatible_response: flag(row, "compatible_response"),
    allow_extra_body: flag(row, "allow_extra_body"),
    plugin: fit(id, "plugin", json(row, "plugin") ?? {}, book),
  };
  if (made.input.models.length === 0) disable(made, book, reasonOf("importNoModels"));
  if (made.input.type === custom && made.input.base_url === "")
    disable(made, book, reasonOf("importNoAddress"));
  return made;
}

function typeOf(row: SourceRow, made: ChannelRecord, book: ReadContext["book"]): number {
  const type = int(row, "type");
  if (type === 15 && text(row, "key").includes("|")) disable(made, book, reasonOf("importBaiduKey"));
  if (type === 23) disable(made, book, reasonOf("importTencentKey"));
  if (isKnown(type)) return type;
  if (resellers.has(type)) disable(made, book, reasonOf("importReseller"));
  else disable(made, book, reasonOf("importType", { type }));
  return custom;
}
