import type { SystemPromptPlace } from "@gateway/shared/channels/channel";
import type { Provider } from "#providers/provider.ts";

export interface KeyInForce {
  id: number;
  key: string;
  weight: number;
}

/** An enabled channel as the relay uses it: parsed once when it was loaded, shared by all calls. */
export interface ChannelInForce {
  id: number;
  name: string;
  provider: Provider;
  baseUrl: string;
  other: string;
  keys: readonly KeyInForce[];
  models: readonly string[];
  groups: readonly string[];
  priority: number;
  weight: number;
  mapping: MappingInForce;
  headers: Readonly<Record<string, string>>;
  parameters: Readonly<Record<string, unknown>>;
  disabledStream: ReadonlySet<string>;
  onlyChat: boolean;
  preCost: number;
  /** Answers Responses clients through chat even if the provider speaks Responses. */
  compatibleResponse: boolean;
  proxy: string;
  plugin: Record<string, Record<string, unknown>>;
  /** "" = any of its models. */
  testModel: string;
  autoDisable: boolean;
  /** Unknown fields of a client's body reach the provider in another dialect too. */
  allowExtraBody: boolean;
  /** Requests and answers are kept for some days. */
  logBodies: boolean;
  /** "" = none. */
  systemPrompt: string;
  systemPromptPlace: SystemPromptPlace;
  /** Calls under way at once; 0 = as many as come. */
  maxConcurrency: number;
  /** Milliseconds; 0 = the setting's, as for the next two. */
  connectTimeoutMs: number;
  firstByteTimeoutMs: number;
  idleTimeoutMs: number;
}

/** Requested name → forwarded name and the name that is billed. */
export interface MappingInForce {
  exact: ReadonlyMap<string, MappedModel>;
  /** Prefix without the star, longest first. A star in `target` stands for what follows the prefix. */
  wildcards: readonly { prefix: string; target: string; billsRequested: boolean }[];
}

export interface MappedModel {
  upstream: string;
  billed: string;
}

/** What a request for `model` becomes at this channel: by its exact name, else by the longest wildcard that fits. */
export function mapModel({ mapping }: Pick<ChannelInForce, "mapping">, model: string): MappedModel {
  const exact = mapping.exact.get(model);
  if (exact !== undefined) return exact;
  const wildcard = mapping.wildcards.find(({ prefix }) => model.startsWith(prefix));
  if (wildcard === undefined) return { upstream: model, billed: model };
  const upstream = wildcard.target.replace("*", () => model.slice(wildcard.prefix.length));
  return { upstream, billed: wildcard.billsRequested ? model : upstream };
}

/** The model a test asks for: the one that was named, the provider's usual one if it is offered, else the first. */
export function testModelOf(
  channel: Pick<ChannelInForce, "testModel" | "models">,
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
 * A key at random by weight, or the pinned one while it lives; undefined when the channel has none.
 * @param free which keys may be used now; when none may, all are considered
 */
export function chooseKey(
  channel: Pick<ChannelInForce, "keys">,
  random: number,
  { pinned, free }: { pinned?: number | undefined; free?(keyId: number): boolean } = {},
): KeyInForce | undefined {
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
