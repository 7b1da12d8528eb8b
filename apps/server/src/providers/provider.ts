import type { ZodType } from "zod";
import type { AnswerMender, ProviderWire, Wire } from "#dialects/dialect.ts";
import type { DialectId, Reasoning, UpstreamError, Usage } from "#dialects/ir.ts";
import type { TokenCache } from "./token-cache.ts";

/**
 * What can be asked of an upstream besides chat, in the words of the OpenAI paths; the last three answer later. `account`
 * is what OpenAI keeps for whoever has the key: files, batches, assistants.
 */
export type Endpoint =
  | "chat"
  | "responses"
  | "completions"
  | "embeddings"
  | "moderations"
  | "images"
  | "audio"
  | "rerank"
  | "realtime"
  | "account"
  | "suno"
  | "kling"
  | "midjourney";

/** Parts of a request on which the dialect may depend that it is sent in. */
export type Need = "web-search" | "code-execution" | "tools" | "thinking" | "no-thinking";

/** What a provider may know about the call it shapes. */
export interface Call {
  /** The name that is sent upstream; "" when no model is asked, as for a list of models. */
  model: string;
  stream: boolean;
  /** What the body speaks; absent for everything that is not chat. */
  dialect?: DialectId;
  /** The client speaks another dialect: it cannot have asked for what only this provider has. */
  translated?: boolean;
  /** How hard a client of another dialect wants the model to think; absent when it did not say. */
  reasoning?: Reasoning;
  /** What the request holds that not every dialect of a provider can carry. */
  needs?: ReadonlySet<Need>;
  /** `channel.other`: API version, region … */
  other: string;
  /** `channel.plugin`, checked against the provider's schema when it was saved. */
  plugin: Record<string, Record<string, unknown>>;
}

/** A request as it leaves the house. Header names are lower case. */
export interface Outgoing {
  method: "GET" | "HEAD" | "POST" | "PUT" | "PATCH" | "DELETE";
  url: string;
  headers: Record<string, string>;
  body: string | Buffer | null;
}

/** What a signature may need of the world: handed in, so that signing stays a function of its input. */
export interface Io {
  /** Throws when there is no answer at all. */
  fetch(request: Outgoing): Promise<{ status: number; text: string }>;
  /** Milliseconds since 1970. */
  now(): number;
  tokens: TokenCache;
}

/** A credential that the provider cannot be asked with: malformed, refused, or of a kind the provider has retired. */
export class CredentialError extends Error {
  constructor(message: string) {
    super(message);
    this.name = "CredentialError";
  }
}

/** One of our paths, served by a provider that has another wire for it. Pure. */
export interface Adapter {
  /** OpenAI's body as this provider's. Throws GatewayError for what the provider cannot do. */
  request(body: Wire, call: Call): { path: string; headers: Record<string, string>; body: string };
  /**
   * The provider's whole answer as OpenAI's; unless given, it passes as it came.
   * @param now milliseconds since 1970
   */
  answer?(text: string, now: number): AdaptedAnswer | { error: UpstreamError };
}

export interface AdaptedAnswer {
  contentType: string;
  body: Buffer;
  /** Absent when the provider does not say. */
  usage?: Usage;
}

/** Where a provider lists its models. */
export interface Listing {
  /** Below the provider's address, or a whole address. */
  path: string;
  /** The names in the answer; unless given, the usual places are read. */
  read?(answer: unknown): string[];
}

/**
 * `openai-billing`: what OpenAI once served and gateways still do, a limit in `/v1/dashboard/billing/subscription` and the
 * usage of a range of days.
 */
export type Balance = "openai-billing" | BalanceAnswer;

export interface BalanceAnswer {
  path: string;
  /** undefined when the answer holds none. */
  read(answer: unknown): { amount: number; currency: "USD" | "CNY" } | undefined;
}

/** The provider's own names of troubles, where they say more or other than the HTTP status does. */
export interface Refusals {
  /** By code, by what stands before its first ".", or by status. */
  kinds: Readonly<Record<string, UpstreamError["kind"]>>;
  /** The response header that names the code, lower case; what follows ":" there says nothing more. */
  header?: string;
  /** For providers that tell troubles apart by nothing but their sentence. */
  sentences?: readonly (readonly [RegExp, UpstreamError["kind"]])[];
}

/**
 * A provider: where it lives, which dialects it speaks, how it wants the credential, its quirks. A plain record; shared
 * code never asks which provider it is.
 */
export interface Provider {
  /** Number stored in `channels.type`; it lives in the registry of this room and nowhere else. */
  type: number;
  /** File name, and key of the icon set unless `icon` says otherwise. */
  id: string;
  label: string;
  icon?: string;
  /**
   * Without a trailing slash; "" when only the operator can know it. A `{name}` in it is filled by `places`, in the
   * operator's own address too.
   */
  baseUrl: string;
  /** What its chat endpoints speak. A client of one of these passes untouched; others are translated to the first. */
  dialects: readonly [DialectId, ...DialectId[]];
  /** Only when that depends on the model: those of `dialects` that this call may use. */
  speaks?(call: Call): readonly [DialectId, ...DialectId[]];
  /** For calls whose chat goes in a wire that only this provider has; `dialects` is then what such a call is tested in. */
  wire?(call: Call): ProviderWire | undefined;
  /** What this provider's errors mean beyond their status. */
  refusals?: Refusals;
  /** The header of an answer that names its service tier, lower case, where the body does not. */
  tierHeader?: string;
  endpoints: readonly Endpoint[];
  /** Whether a channel with this plugin serves a path of ours, e.g. `/v1/images/edits`; unless given, it does. */
  offers?(path: string, plugin: Call["plugin"]): boolean;
  /** Models that search the web for every answer, which this provider bills by the call and does not count. */
  searches?: RegExp;
  /** Of `dialects`, those in which this provider takes pictures and files as bytes only, whatever the wire could say. */
  bytesOnly?: readonly DialectId[];
  /** Providers on the operator's own machine may have no key. */
  keyless?: boolean;
  /** What a key looks like, for the form. */
  keyHint: string;
  /** Label of `channel.other` when this provider needs it. */
  otherLabel?: string;
  models: readonly string[];
  testModel: string;
  website: string;
  plugin?: ZodType;
  /** How the credential travels. */
  headers(key: string, call: Call): Record<string, string>;
  /** What stands for the `{name}`s of the address. Throws CredentialError when the key lacks it. */
  places?(key: string, call: Call): Record<string, string>;
  /** Only when the path is not the standard one: the dialect's, or OpenAI's for what is not chat. */
  path?(call: Call, standard: string): string;
  /** Quirks of chat, on the provider's own wire, after encoding. Answers the same object when there is nothing to do. */
  adjustRequest?(body: Wire, call: Call): Wire;
  /** Of `dialects`, those from which its answers deviate, and what sets them right for clients of the same dialect. */
  mends?: Partial<Record<DialectId, () => AnswerMender>>;
  /** Paths of ours, e.g. `/v1/audio/speech`, that take another wire here. */
  adapters?: Readonly<Record<string, Adapter>>;
  /** The last touch before sending. Throws CredentialError. */
  sign?(request: Outgoing, key: string, io: Io): Outgoing | Promise<Outgoing>;
  /** For streams that are not server-sent events, known by their content type: chunks become such events. */
  unframe?: { contentType: string; open(): (chunk: Uint8Array) => Buffer };
  /** Unless given, `/v1/models`; "none" when the provider keeps no list, then `models` is all there is to say. */
  listing?: Listing | "none";
  balance?: Balance;
}

export function bearer(key: string): Record<string, string> {
  return key === "" ? {} : { authorization: `Bearer ${key}` };
}

/** Anthropic's way, for those who copied its wire. */
export function anthropicKey(key: string): Record<string, string> {
  return { "x-api-key": key, "anthropic-version": "2023-06-01" };
}

/** For providers with Anthropic's wire beside their own: some read the key here, some there. */
export function bearerOrAnthropic(key: string, { dialect }: Call): Record<string, string> {
  return dialect === "anthropic" ? { ...bearer(key), ...anthropicKey(key) } : bearer(key);
}

/** Whether a channel with this plugin can serve a path of ours. */
export function serves(provider: Provider, needs: Endpoint, path: string, plugin: Call["plugin"]): boolean {
  return provider.endpoints.includes(needs) && provider.offers?.(path, plugin) !== false;
}

/** The dialects that a call to this model may use. */
export function dialectsFor(provider: Provider, call: Call): readonly [DialectId, ...DialectId[]] {
  return provider.speaks?.(call) ?? provider.dialects;
}
