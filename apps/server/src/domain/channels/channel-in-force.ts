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
  /** Requested name → forwarded name and the name that is billed. */
  mapping: ReadonlyMap<string, { upstream: string; billed: string }>;
  headers: Readonly<Record<string, string>>;
  parameters: Readonly<Record<string, unknown>>;
  disabledStream: ReadonlySet<string>;
  onlyChat: boolean;
  preCost: number;
  /** Answers Responses clients through chat even if the vendor speaks Responses. */
  compatibleResponse: boolean;
  proxy: string;
  plugin: Record<string, Record<string, unknown>>;
  /** "" = any of its models. */
  testModel: string;
  autoDisable: boolean;
  connectTimeoutMs: number;
  firstByteTimeoutMs: number;
  idleTimeoutMs: number;
}

/** What a request for `model` becomes at this channel. */
export function mapModel(channel: ChannelInForce, model: string): { upstream: string; billed: string } {
  return channel.mapping.get(model) ?? { upstream: model, billed: model };
}

/** The model a test of this channel asks for; undefined when all its models are wildcards and none is named. */
export function testModelOf(channel: ChannelInForce): string | undefined {
  if (channel.testModel !== "") return channel.testModel;
  return channel.models.find((model) => !model.endsWith("*")) ?? (channel.provider.testModel || undefined);
}

/** A key at random by weight, or the pinned one while it lives; undefined when the channel has none. */
export function chooseKey(channel: ChannelInForce, random: number, pinned?: number): KeyInForce | undefined {
  if (pinned !== undefined) {
    const key = channel.keys.find((entry) => entry.id === pinned);
    if (key !== undefined) return key;
  }
  const total = channel.keys.reduce((sum, key) => sum + key.weight, 0);
  let rest = random * total;
  for (const key of channel.keys) {
    rest -= key.weight;
    if (rest < 0) return key;
  }
  return channel.keys.at(-1);
}
