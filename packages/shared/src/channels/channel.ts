import { z } from "zod";
import { because } from "#errors/issue.ts";
import { mentionable, Page, PageQuery, Points, UnixTime, queryInt } from "#paging.ts";
import { ReasonFacts } from "#reasons.ts";

export { ChannelStatus } from "./channel-status.ts";

/** Stands for a stored secret in what readers see. Sent back, it keeps the stored value. */
export const hiddenValue = "********";

const stringMap = z.record(z.string().min(1), z.string());

/** A model name; `*` may stand at the end only, after at least one character. */
export const ModelPattern = z
  .string()
  .trim()
  .min(1, because("model_name_required"))
  .max(160)
  .regex(/^(?!\*)[^*]*\*?$/, because("model_wildcard"));

const badTarget = because("mapping_target");

/**
 * `{"requested": "forwarded"}`; a `+` before the target bills by the requested name. A `*` may stand at the end of a
 * requested name, as it may for the models of a channel.
 */
export const ModelMapping = z
  .record(
    z.string().trim(),
    z
      .string(badTarget)
      .trim()
      .regex(/^\+?[^+\s]/, badTarget),
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
 * Fields of the operator's own for every body. Control keys: `overwrite`, `per_model`, `pre_add` (before the body is
 * read, so that a translation sees them) and `remove`, the fields to take out.
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

const headerName = /^[\w!#$%&'*+.^`|~-]+$/;
// Visible characters, blanks and everything above ASCII; no line break can smuggle a header in.
const headerValue = /^[\t\x20-\x7e\x80-\xff]*$/;

/** Headers of the operator's own, by name. */
export const HeaderMap = z
  .record(z.string(), z.string(), because("json_invalid"))
  .superRefine((headers, context) => {
    for (const [name, value] of Object.entries(headers)) {
      const fault = (message: string) => context.addIssue({ code: "custom", message, path: [name] });
      if (!headerName.test(name)) fault(because("header_name"));
      else if (!headerValue.test(value)) fault(because("header_value"));
    }
  });

/** Where a channel's system prompt stands with a request's own. */
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

/** What the console sends to create or change a channel. `key` empty on change keeps the stored one. */
export const ChannelInput = z.object({
  type: z.int(because("channel_type")),
  name: z.string().trim().min(1, because("name_required")).max(128, because("at_most_128")),
  base_url: z
    .union([z.literal(""), z.url({ protocol: /^https?$/, error: because("http_address") })])
    .transform((url) => url.replace(/\/+$/, ""))
    .default(""),
  other: z.string().trim().max(500).default(""),
  /** One key per line. */
  key: z.string().trim().max(500_000).default(""),
  /** What becomes of the stored keys when new ones are given; unless said, they are replaced. */
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
  /** Keeps requests and answers for some days, for administrators to read. */
  log_bodies: z.boolean().default(false),
  system_prompt: z.string().max(20_000, because("at_most_20000")).default(""),
  system_prompt_place: SystemPromptPlace.default("before"),
  /** Whether it, or a key of it, is switched off by itself when the vendor refuses it. */
  auto_disable: z.boolean().default(true),
  /** Milliseconds; 0 = the setting's. */
  connect_timeout_ms: milliseconds,
  first_byte_timeout_ms: milliseconds,
  idle_timeout_ms: milliseconds,
  /** Calls under way at once, over all nodes; 0 = as many as come. */
  max_concurrency: z.int(wholeNumber).min(0, because("not_negative")).max(1_000_000, tooHigh).default(0),
  plugin: z.record(z.string(), z.record(z.string(), z.unknown())).default({}),
});
export type ChannelInput = z.infer<typeof ChannelInput>;
export type ChannelForm = z.input<typeof ChannelInput>;

/** PUT /api/channel: what is absent stays. */
export const ChannelChange = mentionable(ChannelInput);
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

/** A channel as an admin sees it; its keys never leave the server. */
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
  log_bodies: z.boolean(),
  system_prompt: z.string(),
  system_prompt_place: SystemPromptPlace,
  auto_disable: z.boolean(),
  connect_timeout_ms: z.int(),
  first_byte_timeout_ms: z.int(),
  idle_timeout_ms: z.int(),
  max_concurrency: z.int(),
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
  /** Models that are paused right now on the answering node, and until when; `key` is the hint of a key, "" = all. */
  frozen: z.array(
    z.object({
      model: z.string(),
      key: z.string(),
      until: UnixTime,
      /** The kind of error, `circuit` while a circuit breaker is open, `probing` when one call at a time may try again. */
      reason: z.string(),
      /** For how many accounts it is paused; 0 = every account. */
      accounts: z.int(),
    }),
  ),
});
export type ChannelRow = z.infer<typeof ChannelRow>;
export const ChannelPage = Page(ChannelRow);

export const ChannelQuery = PageQuery.extend({
  keyword: z.string().max(100).default(""),
  type: queryInt(z.int()).catch(0).default(0),
  status: queryInt(z.int()).catch(0).default(0),
  group: z.string().max(50).default(""),
  model: z.string().max(160).default(""),
  tag: z.string().max(64).default(""),
  /** 1 only channels without a tag, 2 only those with one. */
  filter_tag: queryInt(z.int()).catch(0).default(0),
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
  message_facts: ReasonFacts,
  /** "" when it went well, `cannotProbe` when nothing was asked, else what kind of failure it was. */
  fault: z.string(),
});
export type ChannelTestResult = z.infer<typeof ChannelTestResult>;

/** A stored key of a channel. The key itself never leaves the server. */
export const ChannelKeyRow = z.object({
  id: z.int(),
  hint: z.string(),
  weight: z.int(),
  status: z.int(),
  status_reason: z.string(),
  status_facts: ReasonFacts,
  status_time: UnixTime.nullable(),
  /** Models for which it is paused right now on the answering node; `*` = all. */
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

/** A line of a channel's time line. */
export const ChannelEventRow = z.object({
  id: z.int(),
  created_time: UnixTime,
  kind: z.string(),
  reason: z.string(),
  reason_facts: ReasonFacts,
  /** Who did it; null = the gateway itself. */
  username: z.string().nullable(),
  /** The hint of the key it is about, or "". */
  key: z.string(),
  /** The model it is about, or "". */
  model: z.string(),
  /** Names of the fields that a change touched. */
  fields: z.array(z.string()),
});
export type ChannelEventRow = z.infer<typeof ChannelEventRow>;
export const ChannelEventPage = Page(ChannelEventRow);
