/** Loads channels from the database for the relay, in pages: thousands of them must not block other calls. */
import { setImmediate as nextTurn } from "node:timers/promises";
import type { SystemPromptPlace } from "@gateway/shared/channels/channel";
import { sendableHeaders } from "@gateway/shared/channels/channel-headers";
import { openPrivate, type PrivateFields } from "#domain/channels/channel-secrets.ts";
import type { KeyReferences } from "#domain/channels/key-references/key-references.ts";
import type { Db } from "#platform/database/db.ts";
import { Prisma } from "#platform/prisma/client.ts";
import type { Secrets } from "#platform/secrets.ts";
import type { Providers } from "#providers/registry.ts";
import type { ActiveChannel, ActiveKey, MappedModel, ActiveMapping } from "./active-channel.ts";

export interface LoadDeps {
  db: Db;
  secrets: Secrets;
  providers: Providers;
  keyReferences: KeyReferences;
}

interface Which {
  /** 1 enabled, 2 disabled manually, 3 disabled automatically. */
  status: 1 | 3 | "any";
  ids?: readonly number[];
  /** Statuses of the keys to load; default: enabled keys. Channels of keyless providers have none. */
  keys?: readonly (1 | 2 | 3)[];
  /** Loads only channels that have such a key. */
  onlyWithKeys?: boolean;
}

const CHANNELS_A_PAGE = 50;

/** Loads the channels that have a known provider and, where required, a key. */
export async function loadChannels(read: LoadDeps, which: Which): Promise<ActiveChannel[]> {
  const channels: ActiveChannel[] = [];
  // Thousands of channels share a few hundred model names: each name is stored once.
  const names = new Map<string, string>();
  let after = 0;
  while (true) {
    const rows = await readPage(read.db, which, after);
    for (const row of rows) {
      const channel = activeChannel(read, row, names);
      if (channel !== undefined) channels.push(channel);
    }
    const last = rows.at(-1);
    if (last === undefined || rows.length < CHANNELS_A_PAGE) return channels;
    after = last.id;
    await nextTurn();
  }
}

/**
 * Loads a channel whatever its status and the status of its keys. Returns undefined if it lacks a usable key,
 * provider or secret.
 */
export async function storedChannel(
  read: LoadDeps,
  id: number,
): Promise<ActiveChannel | "deleted" | undefined> {
  const [channel] = await loadChannels(read, { status: "any", ids: [id], keys: [1, 2, 3] });
  if (channel !== undefined) return channel;
  const stored = await read.db.channel.count({ where: { id, deleted_at: null } });
  return stored === 0 ? "deleted" : undefined;
}

type Row = Awaited<ReturnType<typeof readPage>>[number];

async function readPage(db: Db, { status, ids, keys = [1], onlyWithKeys }: Which, after: number) {
  const among = ids === undefined ? {} : { in: [...ids] };
  const ofKey = { status: { in: [...keys] } };
  const rows = await db.channel.findMany({
    where: {
      id: { gt: after, ...among },
      ...(status === "any" ? {} : { status }),
      deleted_at: null,
      ...(onlyWithKeys ? { keys: { some: ofKey } } : {}),
    },
    orderBy: { id: "asc" },
    take: CHANNELS_A_PAGE,
    include: {
      keys: { where: ofKey, orderBy: { position: "asc" } },
      groups: true,
    },
  });
  if (rows.length === 0) return [];
  // One text per channel: one object per model would dominate the cost.
  const models = await db.$queryRaw<{ channel_id: number; models: string }[]>(Prisma.sql`
    SELECT channel_id, string_agg(model, E'\n' ORDER BY position) AS models FROM channel_models
    WHERE channel_id IN (${Prisma.join(rows.map((row) => row.id))}) GROUP BY channel_id`);
  const modelsOf = new Map(models.map((row) => [row.channel_id, row.models.split("\n")]));
  return rows.map((row) => ({ ...row, models: modelsOf.get(row.id) ?? [] }));
}

function activeChannel(
  { providers, secrets, keyReferences }: LoadDeps,
  row: Row,
  names: Map<string, string>,
): ActiveChannel | undefined {
  const provider = providers.get(row.type);
  if (provider === undefined) return undefined;
  const keys = row.keys.flatMap(({ id, weight, key_encrypted, reference }): ActiveKey[] => {
    const key = openKey(secrets, row.id, key_encrypted);
    if (key === undefined) return [];
    if (reference === null) return [{ id, key, weight }];
    // The encrypted text counts: whoever can only write to the database cannot set a reference.
    const referenced = keyReferences.find(key, provider);
    return referenced === undefined ? [] : [{ id, key, weight, referenced }];
  });
  if (keys.length === 0 && provider.keyless !== true) return undefined;
  const whole = openWhole(secrets, row);
  if (whole === undefined) return undefined;
  const once = (name: string): string => {
    const known = names.get(name);
    if (known === undefined) names.set(name, name);
    return known ?? name;
  };
  return {
    id: row.id,
    name: row.name,
    provider,
    baseUrl: row.base_url === "" ? provider.baseUrl : row.base_url,
    other: row.other,
    keys,
    models: row.models.map(once),
    groups: row.groups.map((entry) => once(entry.group)),
    priority: row.priority,
    weight: row.weight,
    mapping: parseMapping(row.model_mapping as Record<string, string>),
    headers: sendableHeaders(whole.model_headers),
    parameters: Object.keys(whole.custom_parameter).length === 0 ? undefined : whole.custom_parameter,
    disabledStream: new Set(row.disabled_stream),
    onlyChat: row.only_chat,
    preCost: row.pre_cost,
    compatibleResponse: row.compatible_response,
    allowExtraBody: row.allow_extra_body,
    logBodies: row.log_bodies,
    systemPrompt: row.system_prompt,
    systemPromptPlace: row.system_prompt_place as SystemPromptPlace,
    proxy: whole.proxy,
    plugin: whole.plugin,
    testModel: row.test_model,
    autoDisable: row.auto_disable,
    sessionAffinity: row.session_affinity,
    cacheMarks: row.cache_marks,
    responsesWebSocket: row.responses_websocket,
    maxConcurrency: row.max_concurrency,
    connectTimeoutMs: row.connect_timeout_ms,
    firstByteTimeoutMs: row.first_byte_timeout_ms,
    idleTimeoutMs: row.idle_timeout_ms,
  };
}

/**
 * Returns undefined if the secrets were encrypted with another `SECRET_KEY`: the channel could only send
 * masks.
 */
function openWhole(secrets: Secrets, row: Row): PrivateFields | undefined {
  // These columns were written from a validated input, so they have its shape.
  const { proxy, model_headers, custom_parameter, plugin } = row as unknown as PrivateFields;
  try {
    return openPrivate(secrets, row, { proxy, model_headers, custom_parameter, plugin });
  } catch {
    return undefined;
  }
}

/**
 * Returns undefined for a key encrypted with another `SECRET_KEY`. It must not prevent other channels from
 * loading.
 */
function openKey(secrets: Secrets, channelId: number, encrypted: Uint8Array): string | undefined {
  try {
    return secrets.decrypt(encrypted, channelKeyContext(channelId));
  } catch {
    return undefined;
  }
}

/** Returns the context that the ciphertext of a channel key is bound to. */
export function channelKeyContext(channelId: number): string {
  return `channel:${channelId}`;
}

/**
 * Parses a model mapping. A leading `+` on the target bills the requested name; otherwise the forwarded name
 * is billed. A `*` at the end of a requested name matches any suffix, and a `*` in the target is replaced by
 * that suffix.
 */
export function parseMapping(mapping: Readonly<Record<string, string>>): ActiveMapping {
  const exact: [string, MappedModel][] = [];
  const wildcards: ActiveMapping["wildcards"][number][] = [];
  for (const [requested, target] of Object.entries(mapping)) {
    const keepsName = target.startsWith("+");
    const upstream = keepsName ? target.slice(1) : target;
    if (requested.endsWith("*"))
      wildcards.push({ prefix: requested.slice(0, -1), target: upstream, billsRequested: keepsName });
    else exact.push([requested, { upstream, billed: keepsName ? requested : upstream }]);
  }
  wildcards.sort((one, other) => other.prefix.length - one.prefix.length);
  return { exact: new Map(exact), wildcards };
}
