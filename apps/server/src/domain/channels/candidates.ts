import type { Db } from "#platform/db.ts";
import type { Secrets } from "#platform/secrets.ts";
import type { Providers } from "#providers/index.ts";
import type { ChannelInForce } from "./channel-in-force.ts";

/**
 * The enabled channels in memory, indexed by group and model. Reloaded as a whole when a change is announced, then
 * swapped in one assignment, so calls under way keep the index they started with.
 */
export interface Candidates {
  /** Channels for the model in this group, highest priority first: the exact name's, else the longest wildcard's. */
  find(group: string, model: string): readonly ChannelInForce[];
  /** Names a group can ask for; wildcards as they are written. */
  models(group: string): string[];
  byId(id: number): ChannelInForce | undefined;
  reload(): Promise<void>;
}

interface GroupIndex {
  exact: Map<string, ChannelInForce[]>;
  /** Prefix without the star, longest first. */
  wildcards: { prefix: string; channels: ChannelInForce[] }[];
}

const NONE: readonly ChannelInForce[] = [];

/** Pure: builds the index. Channels of unknown providers never get here. */
export function indexChannels(channels: readonly ChannelInForce[]): Map<string, GroupIndex> {
  const groups = new Map<string, GroupIndex>();
  const sorted = [...channels].sort((a, b) => b.priority - a.priority || a.id - b.id);
  for (const channel of sorted) {
    for (const group of channel.groups) {
      let index = groups.get(group);
      if (index === undefined) groups.set(group, (index = { exact: new Map(), wildcards: [] }));
      for (const model of channel.models) {
        if (model.endsWith("*")) {
          const prefix = model.slice(0, -1);
          const known = index.wildcards.find((entry) => entry.prefix === prefix);
          if (known === undefined) index.wildcards.push({ prefix, channels: [channel] });
          else known.channels.push(channel);
        } else {
          const known = index.exact.get(model);
          if (known === undefined) index.exact.set(model, [channel]);
          else known.push(channel);
        }
      }
    }
  }
  for (const index of groups.values()) index.wildcards.sort((a, b) => b.prefix.length - a.prefix.length);
  return groups;
}

export function findIn(
  groups: ReadonlyMap<string, GroupIndex>,
  group: string,
  model: string,
): readonly ChannelInForce[] {
  const index = groups.get(group);
  if (index === undefined) return NONE;
  return (
    index.exact.get(model) ??
    index.wildcards.find((entry) => model.startsWith(entry.prefix))?.channels ??
    NONE
  );
}

export async function createCandidates(db: Db, secrets: Secrets, providers: Providers): Promise<Candidates> {
  let groups = new Map<string, GroupIndex>();
  let byId = new Map<number, ChannelInForce>();

  async function reload(): Promise<void> {
    const channels = await loadChannels(db, secrets, providers, 1);
    groups = indexChannels(channels);
    byId = new Map(channels.map((channel) => [channel.id, channel]));
  }

  await reload();
  return {
    find: (group, model) => findIn(groups, group, model),
    models(group) {
      const index = groups.get(group);
      if (index === undefined) return [];
      return [...index.exact.keys(), ...index.wildcards.map((entry) => `${entry.prefix}*`)];
    },
    byId: (id) => byId.get(id),
    reload,
  };
}

/** All channels of one status (1 enabled, 3 disabled automatically) that have a provider and, where needed, a key. */
export async function loadChannels(
  db: Db,
  secrets: Secrets,
  providers: Providers,
  status: 1 | 3,
): Promise<ChannelInForce[]> {
  const rows = await db.channel.findMany({
    where: { status, deleted_at: null },
    include: {
      keys: { where: { status: 1 }, orderBy: { position: "asc" } },
      models: { orderBy: { position: "asc" } },
      groups: true,
    },
  });
  const channels: ChannelInForce[] = [];
  for (const row of rows) {
    const provider = providers.get(row.type);
    if (provider === undefined) continue;
    const keys = row.keys.map((key) => ({
      id: key.id,
      key: secrets.decrypt(key.key_encrypted, channelKeyContext(row.id)),
      weight: key.weight,
    }));
    if (keys.length === 0 && provider.keyless !== true) continue;
    channels.push({
      id: row.id,
      name: row.name,
      provider,
      baseUrl: row.base_url === "" ? provider.baseUrl : row.base_url,
      other: row.other,
      keys,
      models: row.models.map((entry) => entry.model),
      groups: row.groups.map((entry) => entry.group),
      priority: row.priority,
      weight: row.weight,
      mapping: parseMapping(row.model_mapping as Record<string, string>),
      headers: row.model_headers as Record<string, string>,
      parameters: row.custom_parameter as Record<string, unknown>,
      disabledStream: new Set(row.disabled_stream),
      onlyChat: row.only_chat,
      preCost: row.pre_cost,
      compatibleResponse: row.compatible_response,
      proxy: row.proxy,
      plugin: row.plugin as Record<string, Record<string, unknown>>,
      testModel: row.test_model,
      autoDisable: row.auto_disable,
      connectTimeoutMs: row.connect_timeout_ms,
      firstByteTimeoutMs: row.first_byte_timeout_ms,
      idleTimeoutMs: row.idle_timeout_ms,
    });
  }
  return channels;
}

/** What a channel key's cipher text is bound to. */
export function channelKeyContext(channelId: number): string {
  return `channel:${channelId}`;
}

/** A leading `+` on the target keeps billing on the requested name; without it the forwarded name is billed. */
export function parseMapping(
  mapping: Readonly<Record<string, string>>,
): Map<string, { upstream: string; billed: string }> {
  return new Map(
    Object.entries(mapping).map(([requested, target]) => {
      const upstream = target.startsWith("+") ? target.slice(1) : target;
      return [requested, { upstream, billed: target.startsWith("+") ? requested : upstream }];
    }),
  );
}
