import { reasonOf } from "@gateway/shared/reasons";
import { addressOf, channelOf, disable, fit, modelsOf, ranksOf } from "#migration/family/channel-fields.ts";
import { bedrockKey, type Destination, keepOrSwitchOff, resellers } from "#migration/family/channel-types.ts";
import type { ReadContext } from "#migration/products/product.ts";
import type { ChannelRecord } from "#migration/records.ts";
import { truncateText, int, json, list, parseJson, record, text } from "#migration/row.ts";
import type { SourceRow } from "#migration/sources/source.ts";

/** One API's types by number. */
const types: Readonly<Record<number, Destination>> = {
  ...Object.fromEntries([1, 3, 8, 11, 14, 15, 16, 17, 18, 19, 20, 23].map((type) => [type, { type }])),
  ...resellers,
  24: { type: 25 },
  25: { type: 29 },
  26: { type: 26 },
  27: { type: 27 },
  28: { type: 30 },
  29: { type: 31 },
  30: { type: 39 },
  31: { type: 33 },
  32: { type: 909 },
  33: { type: 32 },
  34: { type: 38, check: "importBotModels" },
  35: { type: 36 },
  36: { type: 28 },
  37: { type: 35 },
  39: { type: 902 },
  40: { type: 901 },
  41: { type: 908 },
  42: { type: 42 },
  44: { type: 45 },
  45: { type: 56 },
  46: { type: 52 },
  47: { type: 15 },
  48: { type: 18 },
  49: { type: 17 },
  50: { type: 8 },
  51: { type: 25, plugin: { use_openai_api: { enable: true } } },
};

export async function* oneApiChannels(context: ReadContext): AsyncGenerator<ChannelRecord> {
  const rankOf = await ranksOf(context);
  for await (const row of context.source.rows({ table: "channels", orderBy: "id" })) {
    context.book.read("channels");
    yield channel(row, context, rankOf(row));
  }
}

function channel(row: SourceRow, { book }: ReadContext, priority: number): ChannelRecord {
  const made = channelOf(row, {});
  const { id } = made;
  const type = int(row, "type");
  const config = record(parseJson(text(row, "config")));
  const option = (name: string) => (typeof config[name] === "string" ? config[name] : "");
  const destination = types[type];
  const prompt = text(row, "system_prompt");
  made.input = {
    ...made.input,
    base_url: addressOf(made, text(row, "base_url"), book),
    other: truncateText(option("api_version") || option("plugin") || text(row, "other").trim(), 500),
    models: modelsOf(id, list(text(row, "models")), book),
    groups: list(text(row, "group")),
    priority,
    model_mapping: fit(id, "model_mapping", json(row, "model_mapping") ?? {}, book),
    system_prompt: truncateText(prompt, 20_000),
    system_prompt_place: prompt === "" ? "before" : "instead",
  };
  if (type === 33)
    made.keys = [
      { key: bedrockKey(option("region"), option("ak"), option("sk")), status: 1, reason: undefined },
    ];
  if (type === 37) for (const each of made.keys) each.key = `${option("user_id")}|${each.key}`;
  if (type === 42) {
    made.keys = [{ key: option("vertex_ai_adc"), status: 1, reason: undefined }];
    made.input.other = truncateText(`${option("region")}|${option("vertex_ai_project_id")}`, 500);
  }
  keepOrSwitchOff(made, type, destination, book);
  if (made.input.models.length === 0) disable(made, book, reasonOf("importNoModels"));
  return made;
}
