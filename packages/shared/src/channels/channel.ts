import { z } from "zod";
import { because } from "#errors/issue.ts";
import { ModelPattern } from "#models/model-name.ts";
import { makePartial, Page, PageQuery, Points, UnixTime, queryInt } from "#paging.ts";
import { ReasonFacts } from "#reasons.ts";
import { trimEndOf } from "#trim-end.ts";
import { headerFault, MOST_IN_HEADERS, sizeOfHeaders } from "./channel-headers.ts";

export { cannotProbe, ChannelStatus } from "./channel-status.ts";

/** Placeholder for a stored secret in responses. Sent back, it leaves the stored value unchanged. */
export const hiddenValue = "********";

const stringMap = z.record(z.string().min(1), z.string());

const badTarget = because("mapping_target");

/**
 * `{"requested": "forwarded"}`. A `+` before the target bills the requested name. A requested name can end
 * with `*`, like the models of a channel.
 */
export const ModelMapping = z
  .record(
    z.string().trim(),
    z
      .string(badTarget)
      .trim()
      .regex(/^\+?[^+\s\p{C}]\P{C}*$/u, badTarget),
    because("json_invalid"),
  )
  .superRefine((mapping, context) => {
    for (const requested of Object.keys(mapping)) {
      const [issue] = ModelPattern.safeParse(requested).error?.issues ?? [];
      if (issue !== undefined)
        context.addIssue({ code: "custom", message: issue.message, path: [requested] });
    }
  });

/**
 * Fields that the operator adds to every request body. Control keys: `overwrite`, `per_model`, `pre_add`
 * (adds before the body is parsed, so that translations see the fields) and `remove` (fields to delete).
 */
export const CustomParameter = z
  .looseObject(
    {
      overwrite: z.boolean(because("boolean_required")).optional(),
      per_model: z.boolean(because("boolean_required")).optional(),
      pre_add: z.boolean(because("boolean_required")).optional(),
      remove: z.array(z.string().min(1), because("field_names_required")).optional(),
    },
    because("json_invalid"),
  )
  .superRefine((value, context) => {
    if (value.per_model !== true) return;
    for (const [model, fields] of Object.entries(value)) {
      if (controlKeys.has(model) || (typeof fields === "object" && fields !== null && !Array.isArray(fields)))
        continue;
      const message = because("per_model_objects");
      context.addIssue({ code: "custom", message, path: [model] });
    }
  });
const controlKeys: ReadonlySet<string> = new Set(["overwrite", "per_model", "pre_add", "remove"]);

/** Headers that the operator adds, by name. Names are compared without regard to case. */
export const HeaderMap = z
  .record(z.string(), z.string(), because("json_invalid"))
  .superRefine((headers, context) => {
    const seen = new Set<string>();
    for (const [name, value] of Object.entries(headers)) {
      const twice = seen.has(name.toLowerCase()) ? "header_twice" : undefined;
      const fault = headerFault(name, value) ?? twice;
      if (fault !== undefined) context.addIssue({ code: "custom", message: because(fault), path: [name] });
      seen.add(name.toLowerCase());
    }
    if (sizeOfHeaders(headers) > MOST_IN_HEADERS)
      context.addIssue({ code: "custom", message: because("headers_too_long") });
  });

/** Position of a channel's system prompt relative to that of the request. */
export const SystemPromptPlace = z.enum(["before", "after", "instead"]);
export type SystemPromptPlace = z.infer<typeof SystemPromptPlace>;

const wholeNumber = because("whole_number_required");
const mostRank = 1_000_000;
const tooHigh = because("at_most_1000000");
const priority = z.int(wholeNumber).min(0, because("priority_negative")).max(mostRank, tooHigh);
const weight = z.int(wholeNumber).min(1, because("weight_too_small")).max(mostRank, tooHigh);

const milliseconds = z
  .int(wholeNumber)
  .min(0, because("not_negative"))
  .max(3_600_000, because("at_most_an_hour"))
  .default(0);

/** Body that creates or changes a channel. In a change, an empty `key` leaves the stored keys unchanged. */
export const ChannelInput = z.object({
  type: z.int(because("channel_type")),
  name: z.string().trim().min(1, because("name_required")).max(128, because("at_most_128")),
  base_url: z
    .union([z.literal(""), z.url({ protocol: /^https?$/, error: because("http_address") })])
    .transform((url) => trimEndOf(url, "/"))
    .default(""),
  other: z.string().trim().max(500).default(""),
  /** One key per line. Root can enter references to keys that are stored elsewhere, such as `file:openai.key`. */
  key: z.string().trim().max(500_000).default(""),
  /** What to do with the stored keys when new ones are sent. The default replaces them. */
  key_mode: z.enum(["replace", "append"]).optional(),
  models: z.array(ModelPattern).min(1, because("model_required")),
  groups: z.array(z.string().min(1)).min(1, because("group_required")),
  tag: z.string().trim().max(64).default(""),
  priority: priority.default(0),
  weight: weight.default(1),
  model_mapping: ModelMapping.default({}),
  model_headers: HeaderMap.default({}),
  custom_parameter: CustomParameter.default({}),
  disabled_stream: z.array(z.string()).default([]),
  proxy: z
    .union([z.literal(""), z.url({ protocol: /^(https?|socks5h?)$/, error: because("proxy_address") })])
    .default(""),
  test_model: z.string().trim().max(128).default(""),
  only_chat: z.boolean().default(false),
  pre_cost: z.int().min(1).max(3).default(1),
  compatible_response: z.boolean().default(false),
  allow_extra_body: z.boolean().default(false),
  /** Keeps request and response bodies for some days. Administrators can read them. */
  log_bodies: z.boolean().default(false),
  system_prompt: z.string().max(20_000, because("at_most_20000")).default(""),
  system_prompt_place: SystemPromptPlace.default("before"),
  /** Disables the channel or one of its keys automatically when the provider rejects it. */
  auto_disable: z.boolean().default(true),
  /** Calls of an agent's session stay on this channel and its key. */
  session_affinity: z.boolean().default(true),
  /** Adds marks for the provider's prompt cache to requests of clients that set none. */
  cache_marks: z.boolean().default(true),
  /** Calls that arrive over WebSocket use one to the provider too, if it supports that. */
  responses_websocket: z.boolean().default(true),
  /** Milliseconds; 0 = the value of the setting. */
  connect_timeout_ms: milliseconds,
  first_byte_timeout_ms: milliseconds,
  idle_timeout_ms: milliseconds,
  /** Maximum number of concurrent calls over all nodes; 0 = no limit. */
  max_concurrency: z.int(wholeNumber).min(0, because("not_negative")).max(1_000_000, tooHigh).default(0),
  plugin: z.record(z.string(), z.record(z.string(), z.unknown())).default({}),
});
export type ChannelInput = z.infer<typeof ChannelInput>;
export type ChannelForm = z.input<typeof ChannelInput>;

/** Body of PUT /api/channel. Absent fields are unchanged. */
export const ChannelChange = makePartial(
  ChannelInput.extend({
    /** 1 enables, 2 disables. */
    status: z.union([z.literal(1), z.literal(2)]),
  }),
);
export type ChannelChange = z.output<typeof ChannelChange>;

/** Quick changes from the list: PATCH /api/channel/:id. */
export const ChannelPatch = z
  .object({
    status: z.union([z.literal(1), z.literal(2)]),
    priority,
    weight,
  })
  .partial();
export type ChannelPatch = z.infer<typeof ChannelPatch>;

/** A channel in responses to administrators. Its keys never leave the server. */
export const ChannelRow = z.object({
  id: z.int(),
  type: z.int(),
  name: z.string(),
  status: z.int(),
  status_reason: z.string(),
  status_facts: ReasonFacts,
  status_time: UnixTime.nullable(),
  base_url: z.string(),
  other: z.string(),
  /** First and last characters of each key, or the reference to it. */
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
  log_bodies: z.boolean(),
  system_prompt: z.string(),
  system_prompt_place: SystemPromptPlace,
  auto_disable: z.boolean(),
  session_affinity: z.boolean(),
  cache_marks: z.boolean(),
  responses_websocket: z.boolean(),
  connect_timeout_ms: z.int(),
  first_byte_timeout_ms: z.int(),
  idle_timeout_ms: z.int(),
  max_concurrency: z.int(),
  plugin: z.record(z.string(), z.record(z.string(), z.unknown())),
  used_quota: Points,
  balance: z.number(),
  /** Currency of the balance: USD or CNY. */
  balance_currency: z.string(),
  balance_updated_time: UnixTime.nullable(),
  /** Duration of the last test, in milliseconds. */
  response_time: z.int(),
  test_time: UnixTime.nullable(),
  created_time: UnixTime,
  /**
   * Models that are paused on the responding node, and until when. `key` is the hint of a key, "" = all keys.
   */
  frozen: z.array(
    z.object({
      model: z.string(),
      key: z.string(),
      until: UnixTime,
      /**
       * The kind of error, `circuit` for an open circuit breaker, or `probing` while single calls test the
       * channel.
       */
      reason: z.string(),
      /** Number of accounts it is paused for; 0 = every account. */
      accounts: z.int(),
    }),
  ),
});
export type ChannelRow = z.infer<typeof ChannelRow>;
export const ChannelPage = Page(ChannelRow);
export type ChannelPage = z.infer<typeof ChannelPage>;

export const ChannelQuery = PageQuery.extend({
  keyword: z.string().max(100).default(""),
  type: queryInt(z.int()).catch(0).default(0),
  status: queryInt(z.int()).catch(0).default(0),
  group: z.string().max(50).default(""),
  model: z.string().max(160).default(""),
  tag: z.string().max(64).default(""),
  /** 1 = channels without a tag, 2 = channels with a tag, 3 = the newest channel of each tag. */
  filter_tag: queryInt(z.int()).catch(0).default(0),
  /** Prefixes of the test model and of `other`. */
  test_model: z.string().max(128).default(""),
  other: z.string().max(500).default(""),
  /** A whole key, found by its hash. */
  key: z.string().max(20_000).default(""),
});
export type ChannelQuery = z.infer<typeof ChannelQuery>;

export const ChannelTestResult = z.object({
  ok: z.boolean(),
  model: z.string(),
  /** Milliseconds. */
  duration: z.int(),
  message: z.string(),
  message_facts: ReasonFacts,
  /** "" on success, `cannotProbe` when no request was sent, else the kind of failure. */
  fault: z.string(),
});
export type ChannelTestResult = z.infer<typeof ChannelTestResult>;

/** A stored key of a channel. The key itself never leaves the server. */
export const ChannelKeyRow = z.object({
  id: z.int(),
  /** First and last characters of the key, or the reference to it. */
  hint: z.string(),
  /** The key is stored elsewhere. */
  is_reference: z.boolean(),
  /** Why the responding node cannot read a key that is stored elsewhere; "" = it can. */
  fault: z.string(),
  weight: z.int(),
  status: z.int(),
  status_reason: z.string(),
  status_facts: ReasonFacts,
  status_time: UnixTime.nullable(),
  /** Models for which it is paused on the responding node; `*` = all. */
  frozen: z.array(z.object({ model: z.string(), until: UnixTime, reason: z.string() })),
});
export type ChannelKeyRow = z.infer<typeof ChannelKeyRow>;

/** PATCH /api/channel/:id/keys/:keyId. */
export const ChannelKeyPatch = z
  .object({
    status: z.union([z.literal(1), z.literal(2)]),
    weight,
  })
  .partial();
export type ChannelKeyPatch = z.infer<typeof ChannelKeyPatch>;

/** An entry of a channel's timeline. */
export const ChannelEventRow = z.object({
  id: z.int(),
  created_time: UnixTime,
  kind: z.string(),
  reason: z.string(),
  reason_facts: ReasonFacts,
  /** The user who did it; null = the gateway. */
  username: z.string().nullable(),
  /** Hint of the key, or "" when the event is not about one. */
  key: z.string(),
  /** The model, or "" when the event is not about one. */
  model: z.string(),
  /** Names of the changed fields. */
  fields: z.array(z.string()),
});
export type ChannelEventRow = z.infer<typeof ChannelEventRow>;
export const ChannelEventPage = Page(ChannelEventRow);
export type ChannelEventPage = z.infer<typeof ChannelEventPage>;
