/** Operations on many channels: edits with a preview, deletion, tags, copies, export and import. */
import { z } from "zod";
import { ErrorValues } from "#envelope.ts";
import { because } from "#errors/issue.ts";
import { ModelPattern } from "#models/model-name.ts";
import { Points } from "#paging.ts";
import { ChannelInput, ModelMapping } from "./channel.ts";

const ChannelId = z.int().min(1).max(2_147_483_647);

/** Maximum number of channels per request. The console sends several requests for more. */
export const maxBatch = 500;

export const ChannelIds = z
  .array(ChannelId)
  .min(1, because("channels_choose"))
  .max(maxBatch, because("channels_too_many"));

/** What is removed may be invalid: names were stored before they were checked. */
function listEdit<Item extends z.ZodType<string, string>>(item: Item, empty: Parameters<typeof because>[0]) {
  const mode = z.enum(["add", "replace"]);
  return z.discriminatedUnion("mode", [
    z.object({ mode, values: z.array(item).min(1, because(empty)) }),
    z.object({ mode: z.literal("remove"), values: z.array(z.string().min(1)).min(1, because(empty)) }),
  ]);
}

const input = ChannelInput.shape;

/** Changes of channels. Absent fields are unchanged, so no field has a default. */
export const ChannelEdit = z
  .object({
    tag: input.tag.unwrap(),
    priority: input.priority.unwrap(),
    weight: input.weight.unwrap(),
    base_url: input.base_url.unwrap(),
    other: input.other.unwrap(),
    proxy: input.proxy.unwrap(),
    test_model: input.test_model.unwrap(),
    model_headers: input.model_headers.unwrap(),
    custom_parameter: input.custom_parameter.unwrap(),
    disabled_stream: input.disabled_stream.unwrap(),
    only_chat: input.only_chat.unwrap(),
    pre_cost: input.pre_cost.unwrap(),
    compatible_response: input.compatible_response.unwrap(),
    allow_extra_body: input.allow_extra_body.unwrap(),
    log_bodies: input.log_bodies.unwrap(),
    plugin: input.plugin.unwrap(),
    models: listEdit(ModelPattern, "model_required"),
    groups: listEdit(z.string().min(1), "group_required"),
    /** `remove` ignores the values and uses only the requested names. */
    model_mapping: z.discriminatedUnion("mode", [
      z.object({ mode: z.enum(["add", "replace"]), values: ModelMapping }),
      z.object({ mode: z.literal("remove"), values: z.record(z.string(), z.string()) }),
    ]),
  })
  .partial();
export type ChannelEdit = z.infer<typeof ChannelEdit>;
export type ChannelEditForm = z.input<typeof ChannelEdit>;

/** PUT /api/channel/batch */
export const ChannelBatchEdit = z.object({
  ids: ChannelIds,
  edit: ChannelEdit,
  /** Returns the changes without making them. */
  preview: z.boolean().default(false),
});

/** One changed field of one channel: the old and the new value as readable text. */
export const FieldChange = z.object({
  field: z.string(),
  removed: z.array(z.string()),
  added: z.array(z.string()),
});
export type FieldChange = z.infer<typeof FieldChange>;

/** Why one of several channels was not changed. `message` is the English text. */
export const ChannelFault = z.object({
  id: z.int(),
  name: z.string(),
  message: z.string(),
  code: z.string(),
  params: ErrorValues,
});
export type ChannelFault = z.infer<typeof ChannelFault>;

export const ChannelEditAnswer = z.object({
  preview: z.boolean(),
  changed: z.array(
    z.object({
      id: z.int(),
      name: z.string(),
      changes: z.array(FieldChange),
      /** The previous values of the changed fields. As the body of PUT /api/channel/:id they undo the change. */
      before: z.record(z.string(), z.unknown()),
    }),
  ),
  unchanged: z.int(),
  failed: z.array(ChannelFault),
});
export type ChannelEditAnswer = z.infer<typeof ChannelEditAnswer>;

/** Channels that were changed, and those that failed with the reason. */
export const ChannelBatchAnswer = z.object({ done: z.array(z.int()), failed: z.array(ChannelFault) });
export type ChannelBatchAnswer = z.infer<typeof ChannelBatchAnswer>;

/** A summary of all channels with a tag. */
export const ChannelTag = z.object({
  tag: z.string(),
  total: z.int(),
  enabled: z.int(),
  disabled: z.int(),
  auto_disabled: z.int(),
  types: z.array(z.int()),
  priority: z.object({ min: z.int(), max: z.int() }),
  weight: z.object({ min: z.int(), max: z.int() }),
  used_quota: Points,
  /** Mean in milliseconds of the tested channels; 0 when none was tested. */
  response_time: z.int(),
});
export type ChannelTag = z.infer<typeof ChannelTag>;

/** PUT /api/channel_tag/:tag */
export const ChannelTagEdit = z.object({
  edit: ChannelEdit,
  /** One key per line. Each key that is new to the tag creates a copy of the tag's newest channel. */
  key: z.string().trim().max(100_000).default(""),
  /** Deletes the channels of the tag that have none of the keys in `key`. */
  remove_missing: z.boolean().default(false),
  preview: z.boolean().default(false),
});

export const ChannelTagAnswer = ChannelEditAnswer.extend({
  /** New channels: key hints in a preview, otherwise their names. */
  added: z.array(z.string()),
  removed: z.array(z.object({ id: z.int(), name: z.string() })),
});
export type ChannelTagAnswer = z.infer<typeof ChannelTagAnswer>;

/** An exported channel: without counters, and without its keys unless root requested them. */
export const PortableChannel = ChannelInput.extend({ status: z.int().min(1).max(3).default(1) });
export type PortableChannel = z.infer<typeof PortableChannel>;

export const ChannelExport = z.object({
  version: z.literal(1),
  exported_time: z.int(),
  with_keys: z.boolean(),
  // Exports the stored value without the corrections of the input schema.
  channels: z.array(PortableChannel.extend({ base_url: z.string() })),
});
export type ChannelExport = z.infer<typeof ChannelExport>;

/**
 * Body of POST /api/channel/import. Entries are validated one by one, so that an invalid one does not block
 * the others.
 */
export const ChannelImport = z.object({
  channels: z
    .array(z.unknown())
    .min(1, because("file_without_channels"))
    .max(maxBatch, because("channels_too_many")),
});
export const ChannelImportAnswer = z.object({
  created: z.array(z.object({ index: z.int(), id: z.int(), name: z.string(), needs_key: z.boolean() })),
  /** Name of the invalid field, or "". */
  failed: z.array(
    z.object({
      index: z.int(),
      name: z.string(),
      field: z.string(),
      message: z.string(),
      code: z.string(),
      params: ErrorValues,
    }),
  ),
});
export type ChannelImportAnswer = z.infer<typeof ChannelImportAnswer>;
