/**
 * A stored channel, as the console shows it and as a test call needs it. Neither contains its stored keys.
 */
import type { ChannelInput, ChannelRow } from "@gateway/shared/channels/channel";
import { storedFacts } from "@gateway/shared/reasons";
import { unixTime } from "#platform/clock.ts";
import type { Prisma } from "#platform/prisma/client.ts";
import type { Secrets } from "#platform/secrets.ts";
import { openPrivate } from "./channel-secrets.ts";
import type { Frozen } from "./health/health-state.ts";
import type { ReferencedKey } from "./key-references/referenced-key.ts";

/** A channel as a test call or a model listing needs it, stored or not, with one key in plain text. */
export interface ChannelForTest extends Omit<ChannelInput, "key" | "key_mode"> {
  /** 0 if the channel is not stored. */
  id: number;
  /** The key, or the reference to it; "" for providers without credentials. */
  key: string;
  /** Set when `key` is a reference. */
  referenced?: ReferencedKey;
}

/** Returns what administrators see of a key: the reference to it, or its first and last characters. */
export function keyLabel({ reference, key_hint }: { reference: string | null; key_hint: string }): string {
  return reference ?? key_hint;
}

/** The relations loaded with a channel. */
export const channelParts = {
  keys: { orderBy: { position: "asc" } },
  models: { orderBy: { position: "asc" } },
  groups: { orderBy: { group: "asc" } },
} satisfies Prisma.ChannelInclude;

export type ChannelWithParts = Prisma.ChannelGetPayload<{ include: typeof channelParts }>;

/** Returns the input fields of a stored channel, without its key and with a mask for every other secret. */
export function toChannelInput(row: ChannelWithParts): Omit<ChannelInput, "key" | "key_mode"> {
  return {
    type: row.type,
    name: row.name,
    base_url: row.base_url,
    other: row.other,
    models: row.models.map((entry) => entry.model),
    groups: row.groups.map((entry) => entry.group),
    tag: row.tag,
    priority: row.priority,
    weight: row.weight,
    model_mapping: asTexts(row.model_mapping),
    model_headers: asTexts(row.model_headers),
    custom_parameter: asRecord(row.custom_parameter),
    disabled_stream: row.disabled_stream,
    proxy: row.proxy,
    test_model: row.test_model,
    only_chat: row.only_chat,
    pre_cost: row.pre_cost,
    compatible_response: row.compatible_response,
    allow_extra_body: row.allow_extra_body,
    log_bodies: row.log_bodies,
    system_prompt: row.system_prompt,
    system_prompt_place: asPlace(row.system_prompt_place),
    auto_disable: row.auto_disable,
    session_affinity: row.session_affinity,
    cache_marks: row.cache_marks,
    responses_websocket: row.responses_websocket,
    connect_timeout_ms: row.connect_timeout_ms,
    first_byte_timeout_ms: row.first_byte_timeout_ms,
    idle_timeout_ms: row.idle_timeout_ms,
    max_concurrency: row.max_concurrency,
    plugin: asPlugin(row.plugin),
  };
}

/**
 * Returns the input fields of a stored channel with its secrets, without its key. For calls, never for
 * display.
 */
export function toFullChannelInput(
  secrets: Secrets,
  row: ChannelWithParts,
): Omit<ChannelInput, "key" | "key_mode"> {
  const shown = toChannelInput(row);
  return { ...shown, ...openPrivate(secrets, row, shown) };
}

export function describeChannel(row: ChannelWithParts, freezes: readonly Frozen[]): ChannelRow {
  return {
    ...toChannelInput(row),
    id: row.id,
    status: row.status,
    status_reason: row.status_reason,
    status_facts: storedFacts(row.status_facts),
    status_time: seconds(row.status_time),
    key_hints: row.keys.map(keyLabel),
    used_quota: Number(row.used_quota),
    balance: row.balance.toNumber(),
    balance_currency: row.balance_currency,
    balance_updated_time: seconds(row.balance_updated_time),
    response_time: row.response_time,
    test_time: seconds(row.test_time),
    created_time: unixTime(row.created_time),
    frozen: freezes.map(({ model, keyId, until, reason, accounts }) => ({
      model,
      key: labelOf(row.keys.find((key) => key.id === keyId)),
      until: Math.ceil(until / 1000),
      reason,
      accounts,
    })),
  };
}

function labelOf(key: ChannelWithParts["keys"][number] | undefined): string {
  return key === undefined ? "" : keyLabel(key);
}

/** These columns were written from a validated `ChannelInput`, so they have its shape. */
function asTexts(value: Prisma.JsonValue): Record<string, string> {
  return value as Record<string, string>;
}

function asRecord(value: Prisma.JsonValue): Record<string, unknown> {
  return value as Record<string, unknown>;
}

function asPlace(value: string): ChannelInput["system_prompt_place"] {
  return value as ChannelInput["system_prompt_place"];
}

function asPlugin(value: Prisma.JsonValue): ChannelInput["plugin"] {
  return value as ChannelInput["plugin"];
}

function seconds(instant: Date | null): number | null {
  return instant === null ? null : unixTime(instant);
}
