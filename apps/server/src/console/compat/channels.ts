/**
 * Channels in One Hub's format: lists as one text with commas, maps as JSON in a text, and a PUT that changes
 * only the fields it contains.
 */
import { ChannelInput, ChannelPage, ChannelQuery, ChannelRow } from "@gateway/shared/channels/channel";
import { ChannelBatchAnswer } from "@gateway/shared/channels/channel-batch";
import { Nothing } from "@gateway/shared/envelope";
import { Page } from "@gateway/shared/paging";
import { z } from "zod";
import { viewerOf } from "#console/guards.ts";
import { IdParams, RowId } from "#console/paging.ts";
import { validate } from "#console/validation.ts";
import { type ChannelWithParts, describeChannel } from "#domain/channels/channel-row.ts";
import { createChannel, deleteChannel, editChannel, patchChannel } from "#domain/channels/channels.ts";
import { keysOf } from "#domain/channels/keys.ts";
import { OlderChannel, olderChannel } from "./plugin/channel-spelling.ts";
import { splitList, parsedText, withoutNulls } from "./plugin/older.ts";
import { ignoreNotFound } from "./plugin/refusals.ts";
import { type CompatCall, type CompatRoute, handleWith, readWith, formatWith } from "./plugin/route.ts";

const text = z.string().optional();
const jsonText = z.union([z.string(), z.record(z.string(), z.unknown())]).optional();
const list = z.union([z.string(), z.array(z.string())]).optional();
/** A channel as One Hub's callers send it. Every field may be missing, and our own fields are accepted. */
export const SentChannel = z.preprocess(
  withoutNulls,
  z.looseObject({
    type: z.int().optional(),
    key: text,
    status: z.int().min(0).max(3).optional(),
    name: text,
    weight: z.int().optional(),
    base_url: text,
    other: text,
    models: list,
    group: text,
    groups: list,
    tag: text,
    model_mapping: jsonText,
    model_headers: jsonText,
    custom_parameter: jsonText,
    priority: z.int().optional(),
    proxy: text,
    test_model: text,
    only_chat: z.boolean().optional(),
    pre_cost: z.int().optional(),
    compatible_response: z.boolean().optional(),
    allow_extra_body: z.boolean().optional(),
    disabled_stream: z.array(z.string()).optional(),
    plugin: z.record(z.string(), z.unknown()).optional(),
  }),
);
export type SentChannel = z.output<typeof SentChannel>;

/** Fields that have no meaning when empty: no request clears them. */
const neverEmpty = ["type", "name", "key", "models", "groups", "pre_cost"] as const;
/** Texts that a PUT without models cannot clear. */
const keptWhenEmpty = ["other", "tag", "test_model"] as const;

/** Returns the fields of the request, with our names and types. */
export function sentFields(sent: SentChannel): Record<string, unknown> {
  const { group, status: _status, ...rest } = sent;
  const models = splitList(sent.models);
  const groups = splitList(group ?? sent.groups);
  const fields: Record<string, unknown> = { ...rest, models, groups };
  for (const name of ["model_mapping", "model_headers", "custom_parameter"] as const)
    fields[name] = parsedText(sent[name]);
  for (const name of neverEmpty) if (isEmpty(fields[name])) delete fields[name];
  if (models === undefined || models.length === 0)
    for (const name of keptWhenEmpty) if (isEmpty(fields[name])) delete fields[name];
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}

function isEmpty(value: unknown): boolean {
  if (typeof value === "string") return value.trim() === "";
  return value === undefined || value === 0 || (Array.isArray(value) && value.length === 0);
}

export function showChannel(
  { services }: CompatCall,
  record: ChannelWithParts,
): z.output<typeof OlderChannel> {
  return olderChannel(describeChannel(record, services.health.freezes(record.id)));
}

/** Creates one channel per line of the key, each with the corresponding line of the address. */
const create = handleWith({ body: SentChannel, data: OlderChannel }, async ({ body }, call) => {
  const { services } = call;
  const fields = sentFields(body);
  const lines = keyLines(body.key ?? "");
  const addresses = (body.base_url ?? "").split("\n").map((line) => line.trim());
  const name = body.name ?? "";
  const inputs = lines.map(({ key, line }) =>
    validate(ChannelInput, {
      models: [],
      groups: [],
      ...fields,
      key,
      name: line === 1 ? name : `${name}_${line}`,
      base_url: addresses[line - 1] || addresses[0] || "",
    }),
  );
  const made: ChannelWithParts[] = [];
  for (const input of inputs) {
    const status = body.status === 2 || body.status === 3 ? 2 : 1;
    made.push(await createChannel(services, viewerOf(call.request), input, { status }));
  }
  const [first] = made;
  if (first === undefined) throw new Error("A channel without a key has one line, too.");
  if (made.length > 1) call.note(`${made.length} channels were created, one for each key.`);
  return { data: showChannel(call, first) };
});

/** Returns the keys with their line numbers. A JSON document is one key however many lines it has. */
function keyLines(text: string): { key: string; line: number }[] {
  const keys = keysOf(text);
  if (keys.length <= 1 || text.trimStart().startsWith("{")) return [{ key: text.trim(), line: 1 }];
  return text
    .split("\n")
    .map((line, index) => ({ key: line.trim(), line: index + 1 }))
    .filter(({ key }) => key !== "");
}

const Change = SentChannel.pipe(z.looseObject({ id: RowId }));

const put = handleWith({ body: Change, data: OlderChannel }, async ({ body }, call) => {
  const { services } = call;
  const { id } = body;
  const sent = validate(SentChannel, body);
  const fields = sentFields(sent);
  const viewer = viewerOf(call.request);
  let changed = await editChannel(services, viewer, id, (now) =>
    validate(ChannelInput, { ...now, ...fields }),
  );
  const { status = 0 } = sent;
  if (status !== 0 && status !== changed.status)
    changed = await patchChannel(services.db, viewer, id, { status: status as 1 | 2 | 3 });
  services.health.forgive(id);
  return { data: showChannel(call, changed) };
});

const remove = handleWith({ params: IdParams, data: Nothing }, async ({ params }, call) => {
  await ignoreNotFound(deleteChannel(call.services.db, viewerOf(call.request), params.id));
  return { data: null };
});

const untag = handleWith({ params: IdParams, data: Nothing }, async ({ params }, call) => {
  const done = editChannel(call.services, viewerOf(call.request), params.id, (now) => ({ ...now, tag: "" }));
  await ignoreNotFound(done);
  return { data: null };
});

const OlderPage = Page(OlderChannel);

/** Returns the number of successes. Failures are named in the message. */
export const formatBatchCount = formatWith(ChannelBatchAnswer, z.int(), ({ done, failed }, call) => {
  for (const { name, message } of failed) call.note(`${name}: ${message}`);
  return done.length;
});

const OlderQuery = ChannelQuery.extend({
  name: ChannelQuery.shape.keyword,
  models: ChannelQuery.shape.model,
});

/** Input of a request for the provider's models; 0 means no id. */
const ListInput = z.preprocess(
  withoutNulls,
  z.looseObject({ id: z.int().min(0).optional(), base_url: text, key: text }),
);

/** Measured values, which no caller sets. */
const measured = {
  balance: "",
  balance_updated_time: "",
  used_quota: "",
  response_time: "",
  test_time: "",
  created_time: "",
};

export const channelCompat: Record<string, CompatRoute> = {
  "GET /channel": {
    query: readWith(OlderQuery, ({ name, models, page, size, ...query }) => ({
      ...query,
      // One Hub returns one row per tag here.
      filter_tag: String(query.filter_tag === 2 ? 3 : query.filter_tag),
      page: String(page),
      size: String(size),
      keyword: query.keyword || name,
      model: query.model || models,
    })),
    answer: formatWith(ChannelPage, OlderPage, (page) => ({ ...page, data: page.data.map(olderChannel) })),
  },
  "GET /channel/:id": { answer: formatWith(ChannelRow, OlderChannel, olderChannel) },
  "POST /channel": { handle: create, ignores: measured },
  "PUT /channel": { handle: put, ignores: measured },
  "DELETE /channel/:id": { handle: remove },
  "DELETE /channel/:id/tag": { handle: untag },
  "DELETE /channel/batch": { answer: formatBatchCount },
  "DELETE /channel/disabled": { answer: formatBatchCount },
  "POST /channel/provider_models_list": {
    body: readWith(ListInput, ({ id = 0, base_url = "", key = "", ...rest }) => ({
      ...rest,
      ...(id === 0 ? {} : { id }),
      ...(base_url === "" ? {} : { base_url: base_url.split("\n", 1).join().trim() }),
      key: keyLines(key)[0]?.key ?? "",
    })),
  },
};
