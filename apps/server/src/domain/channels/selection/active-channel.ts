import type { SystemPromptPlace } from "@gateway/shared/channels/channel";
import type { ReferencedKey } from "#domain/channels/key-references/referenced-key.ts";
import type { Provider } from "#providers/provider.ts";

export interface ActiveKey {
  id: number;
  /** The key, or the reference to it. */
  key: string;
  weight: number;
  /** Set when `key` is a reference. */
  referenced?: ReferencedKey;
}

/** An enabled channel as the relay uses it: parsed once on load and shared by all calls. */
export interface ActiveChannel {
  id: number;
  name: string;
  provider: Provider;
  baseUrl: string;
  other: string;
  keys: readonly ActiveKey[];
  models: readonly string[];
  groups: readonly string[];
  priority: number;
  weight: number;
  mapping: ActiveMapping;
  headers: Readonly<Record<string, string>>;
  /** Fields that the operator adds to requests; undefined without any. */
  parameters?: Readonly<Record<string, unknown>> | undefined;
  disabledStream: ReadonlySet<string>;
  onlyChat: boolean;
  preCost: number;
  /** Whether Responses clients are served through chat, even if the provider supports Responses. */
  compatibleResponse: boolean;
  proxy: string;
  plugin: Record<string, Record<string, unknown>>;
  /** Model for tests; "" means any of the channel's models. */
  testModel: string;
  autoDisable: boolean;
  /** Sessions of agents stay on this channel. */
  sessionAffinity: boolean;
  /** Requests of clients without marks for the provider's prompt cache get some. */
  cacheMarks: boolean;
  /** Calls that arrive over WebSocket use one to the provider too, if it supports that. */
  responsesWebSocket: boolean;
  /** Whether unknown fields of the client's body are forwarded even when the dialect is translated. */
  allowExtraBody: boolean;
  /** Whether requests and responses are stored for some days. */
  logBodies: boolean;
  /** "" means none. */
  systemPrompt: string;
  systemPromptPlace: SystemPromptPlace;
  /** Maximum number of concurrent calls; 0 means unlimited. */
  maxConcurrency: number;
  /** In milliseconds; 0 means the value of the setting. The same holds for the next two fields. */
  connectTimeoutMs: number;
  firstByteTimeoutMs: number;
  idleTimeoutMs: number;
}

/** Mapping of requested names to forwarded and billed names. */
export interface ActiveMapping {
  exact: ReadonlyMap<string, MappedModel>;
  /** Prefixes without the star, longest first. A star in `target` stands for the text after the prefix. */
  wildcards: readonly { prefix: string; target: string; billsRequested: boolean }[];
}

export interface MappedModel {
  upstream: string;
  billed: string;
}

/**
 * Returns the forwarded and billed names for `model`: by exact name, else by the longest matching wildcard.
 */
export function mapModel({ mapping }: Pick<ActiveChannel, "mapping">, model: string): MappedModel {
  const exact = mapping.exact.get(model);
  if (exact !== undefined) return exact;
  const wildcard = mapping.wildcards.find(({ prefix }) => model.startsWith(prefix));
  if (wildcard === undefined) return { upstream: model, billed: model };
  const upstream = wildcard.target.replace("*", () => model.slice(wildcard.prefix.length));
  return { upstream, billed: wildcard.billsRequested ? model : upstream };
}

/**
 * Returns the model for a test: the configured one, the provider's default if the channel offers it, else the
 * first.
 */
export function testModelOf(
  channel: Pick<ActiveChannel, "testModel" | "models">,
  provider: Pick<Provider, "testModel"> | undefined,
): string | undefined {
  if (channel.testModel !== "") return channel.testModel;
  const usual = provider?.testModel ?? "";
  const offered = channel.models.some((model) =>
    model.endsWith("*") ? usual.startsWith(model.slice(0, -1)) : model === usual,
  );
  if (usual !== "" && offered) return usual;
  return channel.models.find((model) => !model.endsWith("*")) ?? (usual || undefined);
}

/**
 * Returns a random key by weight, or the pinned one while it exists; undefined when the channel has no keys.
 * @param free whether a key may be used now; if no key may, all are considered
 */
export function chooseKey(
  channel: Pick<ActiveChannel, "keys">,
  random: number,
  { pinned, free }: { pinned?: number | undefined; free?(keyId: number): boolean } = {},
): ActiveKey | undefined {
  const { keys: all } = channel;
  if (all.length < 2) return all[0];
  const kept = pinned === undefined ? undefined : all.find((key) => key.id === pinned);
  if (kept !== undefined) return kept;
  const usable = free === undefined ? all : all.filter((key) => free(key.id));
  const keys = usable.length === 0 ? all : usable;
  let rest = random * keys.reduce((sum, key) => sum + key.weight, 0);
  for (const key of keys) {
    rest -= key.weight;
    if (rest < 0) return key;
  }
  return keys.at(-1);
}
