import { z } from "zod";
import { Page, PageQuery, Points, UnixTime } from "./paging.ts";

export const ChannelStatus = { unknown: 0, enabled: 1, disabled: 2, autoDisabled: 3 } as const;

const stringMap = z.record(z.string().min(1), z.string());

/** A model name; `*` may stand at the end only, after at least one character. */
export const ModelPattern = z
  .string()
  .trim()
  .min(1, "Model name is required")
  .max(160)
  .regex(/^(?!\*)[^*]*\*?$/, "A wildcard * may only be the last character, after at least one other");

/** `{"requested": "forwarded"}`; a `+` before the target bills by the requested name. */
export const ModelMapping = z.record(
  z.string().trim().min(1),
  z
    .string()
    .trim()
    .regex(/^\+?[^+\s]/, "The target of a mapping must be a model name"),
);

/** What the console sends to create or change a channel. `key` empty on change keeps the stored one. */
export const ChannelInput = z.object({
  type: z.int(),
  name: z.string().trim().min(1, "Name is required").max(128),
  base_url: z
    .union([
      z.literal(""),
      z.url({ protocol: /^https?$/, error: "The address must be an http or https URL" }),
    ])
    .transform((url) => url.replace(/\/+$/, ""))
    .default(""),
  other: z.string().trim().max(500).default(""),
  /** One key per line. */
  key: z.string().trim().max(20_000).default(""),
  models: z.array(ModelPattern).min(1, "At least one model is required"),
  groups: z.array(z.string().min(1)).min(1, "At least one group is required"),
  tag: z.string().trim().max(64).default(""),
  priority: z.int().min(0, "Priority cannot be less than 0").default(0),
  weight: z.int().min(1, "Weight cannot be less than 1").default(1),
  model_mapping: ModelMapping.default({}),
  model_headers: stringMap.default({}),
  custom_parameter: z.record(z.string(), z.unknown()).default({}),
  disabled_stream: z.array(z.string()).default([]),
  proxy: z
    .union([
      z.literal(""),
      z.url({ protocol: /^(https?|socks5h?)$/, error: "The proxy must be an http, https or socks5 URL" }),
    ])
    .default(""),
  test_model: z.string().trim().max(128).default(""),
  only_chat: z.boolean().default(false),
  pre_cost: z.int().min(1).max(3).default(1),
  compatible_response: z.boolean().default(false),
  allow_extra_body: z.boolean().default(false),
  plugin: z.record(z.string(), z.record(z.string(), z.unknown())).default({}),
});
export type ChannelInput = z.infer<typeof ChannelInput>;
export type ChannelForm = z.input<typeof ChannelInput>;

/** Quick changes from the list: PATCH /api/channel/:id. */
export const ChannelPatch = z
  .object({
    status: z.union([z.literal(1), z.literal(2)]),
    priority: z.int().min(0, "Priority cannot be less than 0"),
    weight: z.int().min(1, "Weight cannot be less than 1"),
  })
  .partial();
export type ChannelPatch = z.infer<typeof ChannelPatch>;

/** A channel as an admin sees it; its keys never leave the server. */
export const ChannelRow = z.object({
  id: z.int(),
  type: z.int(),
  name: z.string(),
  status: z.int(),
  status_reason: z.string(),
  status_time: UnixTime.nullable(),
  base_url: z.string(),
  other: z.string(),
  /** First and last characters of each key. */
  key_hints: z.array(z.string()),
  models: z.array(z.string()),
  groups: z.array(z.string()),
  tag: z.string(),
  priority: z.int(),
  weight: z.int(),
  model_mapping: stringMap,
  model_headers: stringMap,
  custom_parameter: z.record(z.string(), z.unknown()),
  disabled_stream: z.array(z.string()),
  proxy: z.string(),
  test_model: z.string(),
  only_chat: z.boolean(),
  pre_cost: z.int(),
  compatible_response: z.boolean(),
  allow_extra_body: z.boolean(),
  plugin: z.record(z.string(), z.record(z.string(), z.unknown())),
  used_quota: Points,
  balance: z.number(),
  /** What the vendor counts in: USD or CNY. */
  balance_currency: z.string(),
  balance_updated_time: UnixTime.nullable(),
  /** Milliseconds of the last test. */
  response_time: z.int(),
  test_time: UnixTime.nullable(),
  created_time: UnixTime,
  /** Models that are frozen right now on the answering node, with the end of the freeze. */
  frozen: z.array(z.object({ model: z.string(), until: UnixTime, reason: z.string() })),
});
export type ChannelRow = z.infer<typeof ChannelRow>;
export const ChannelPage = Page(ChannelRow);

export const ChannelQuery = PageQuery.extend({
  keyword: z.string().max(100).default(""),
  type: z.coerce.number().int().catch(0).default(0),
  status: z.coerce.number().int().catch(0).default(0),
  group: z.string().max(50).default(""),
  model: z.string().max(160).default(""),
  tag: z.string().max(64).default(""),
  /** 1 only channels without a tag, 2 only those with one. */
  filter_tag: z.coerce.number().int().catch(0).default(0),
  /** Beginnings of the test model and of `other`. */
  test_model: z.string().max(128).default(""),
  other: z.string().max(500).default(""),
  /** A whole key; found by its hash. */
  key: z.string().max(20_000).default(""),
});
export type ChannelQuery = z.infer<typeof ChannelQuery>;

/** No short question fits the model: the channel is neither good nor bad for it. */
export const cannotProbe = "cannot-probe";

/** Answer of a channel test. */
export const ChannelTestResult = z.object({
  ok: z.boolean(),
  model: z.string(),
  /** Milliseconds. */
  duration: z.int(),
  message: z.string(),
  /** "" when it went well, `cannotProbe` when nothing was asked, else what kind of failure it was. */
  fault: z.string(),
});
export type ChannelTestResult = z.infer<typeof ChannelTestResult>;
