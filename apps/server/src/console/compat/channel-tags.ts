/** Tags in One Hub's format: a channel serves as the pattern for all channels of the tag. */
import { ChannelEdit, ChannelTag } from "@gateway/shared/channels/channel-batch";
import { Nothing } from "@gateway/shared/envelope";
import { z } from "zod";
import { TagParams } from "#console/channels/channel-tags.ts";
import { viewerOf } from "#console/guards.ts";
import { validate } from "#console/validation.ts";
import type { ChannelWithParts } from "#domain/channels/channel-row.ts";
import { deleteChannels, disabledChannels } from "#domain/channels/runs/batch.ts";
import { channelsOfTag, editTag } from "#domain/channels/tags.ts";
import { invalidRequest } from "#errors.ts";
import { formatBatchCount, sentFields, SentChannel, showChannel } from "./channels.ts";
import { OlderChannel } from "./plugin/channel-spelling.ts";
import { listIgnoredFields } from "./plugin/ignored.ts";
import { ignoreNotFound } from "./plugin/refusals.ts";
import { type CompatCall, type CompatRoute, handleWith, formatWith } from "./plugin/route.ts";

/** Returns the channels of a tag, oldest first; none for an unknown tag. */
async function members({ services }: CompatCall, tag: string): Promise<ChannelWithParts[]> {
  return (await ignoreNotFound(channelsOfTag(services.db, tag)))?.reverse() ?? [];
}

const Pattern = OlderChannel.extend({
  /** By the MD5 of a key. Empty, because keys never leave the server. */
  KeyMap: z.record(z.string(), z.int()),
});

const get = handleWith({ params: TagParams, data: Pattern }, async ({ params }, call) => {
  const oldest = (await channelsOfTag(call.services.db, params.tag)).at(-1);
  if (oldest === undefined) throw new Error("A tag without a channel is not found.");
  return { data: { ...showChannel(call, oldest), KeyMap: {} } };
});

const list = handleWith({ params: TagParams, data: z.array(OlderChannel) }, async ({ params }, call) => ({
  data: (await members(call, params.tag)).map((record) => showChannel(call, record)),
}));

/** Fields that a pattern writes to every channel of the tag. All other fields stay per channel. */
const shared = [
  "base_url",
  "other",
  "tag",
  "model_mapping",
  "model_headers",
  "custom_parameter",
  "proxy",
  "test_model",
  "only_chat",
  "plugin",
  "pre_cost",
  "disabled_stream",
  "compatible_response",
] as const;

const perChannel = {
  type: "",
  status: "PUT /api/channel_tag/:tag/status/:status",
  priority: "PUT /api/channel_tag/:tag/priority",
  weight: "",
  allow_extra_body: "",
};

function editOf(sent: SentChannel): ChannelEdit {
  const fields = sentFields(sent);
  const edit: Record<string, unknown> = {};
  for (const name of shared) if (!isEmpty(fields[name])) edit[name] = fields[name];
  const { models, groups, model_mapping } = fields;
  if (models !== undefined) edit["models"] = { mode: "replace", values: models };
  if (groups !== undefined) edit["groups"] = { mode: "replace", values: groups };
  if (!isEmpty(model_mapping)) edit["model_mapping"] = { mode: "replace", values: model_mapping };
  return validate(ChannelEdit, edit);
}

function isEmpty(value: unknown): boolean {
  if (typeof value === "object" && value !== null) return Object.keys(value).length === 0;
  return value === undefined || value === "" || value === 0 || value === false;
}

function numberOfKeys(rows: readonly ChannelWithParts[]): number {
  const hashes = rows.flatMap(({ keys }) =>
    keys.map(({ key_hash }) => Buffer.from(key_hash).toString("hex")),
  );
  return new Set(hashes).size;
}

/**
 * Without a key the keys stay, because none was shown. With keys, the list of keys is the list of channels.
 */
const put = handleWith(
  { params: TagParams, body: SentChannel, data: Nothing },
  async ({ params, body }, call) => {
    const { services } = call;
    const rows = await members(call, params.tag);
    const [oldest] = rows;
    if (oldest !== undefined)
      listIgnoredFields(body, showChannel(call, oldest), perChannel).forEach(call.note);
    const answer = await editTag(services, viewerOf(call.request), params.tag, {
      edit: editOf(body),
      key: body.key ?? "",
      remove_missing: true,
      preview: false,
      // One Hub counts from the number of keys that the tag had.
      firstNumber: numberOfKeys(rows),
      ...(body.name === undefined ? {} : { name: body.name }),
    });
    for (const { id } of answer.changed) services.health.forgive(id);
    if (answer.failed.length === 0) return { data: null };
    const failures = answer.failed.map(({ name, message }) => `${name}: ${message}`);
    throw invalidRequest({ reason: "channels_not_changed", failures: failures.join(" ") });
  },
);

const remove = handleWith({ params: TagParams, data: z.int() }, async ({ params }, call) => {
  const ids = (await members(call, params.tag)).map(({ id }) => id);
  return { data: (await deleteChannels(call.services, viewerOf(call.request), ids)).done.length };
});

const removeDisabled = handleWith({ params: TagParams, data: z.int() }, async ({ params }, call) => {
  const ids = await disabledChannels(call.services, params.tag);
  return { data: (await deleteChannels(call.services, viewerOf(call.request), ids)).done.length };
});

export const channelTagCompat: Record<string, CompatRoute> = {
  "GET /channel_tag/_all": {
    answer: formatWith(z.array(ChannelTag), z.array(ChannelTag.extend({ id: z.literal(0) })), (tags) =>
      tags.map((tag) => ({ ...tag, id: 0 as const })),
    ),
  },
  "GET /channel_tag/:tag": { handle: get },
  "GET /channel_tag/:tag/list": { handle: list },
  "PUT /channel_tag/:tag": { handle: put },
  "DELETE /channel_tag/:tag": { handle: remove },
  "DELETE /channel_tag/:tag/disabled": { handle: removeDisabled },
  "PUT /channel_tag/:tag/priority": { answer: formatBatchCount },
  "PUT /channel_tag/:tag/status/:status": { answer: formatBatchCount },
};
