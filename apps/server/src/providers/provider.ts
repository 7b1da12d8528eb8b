import type { ProviderGroup } from "@gateway/shared/channels/provider";
import type { ZodType } from "zod";
import type { ProviderWire, Wire } from "#dialects/dialect.ts";
import type { DialectId, Reasoning, UpstreamError, Usage } from "#dialects/ir.ts";
import type { TokenCache } from "./token-cache.ts";

/**
 * Kinds of upstream requests, named after OpenAI's paths. The last three complete asynchronously. `account`
 * covers the resources that OpenAI stores for the owner of a key: files, batches, assistants. "caches" are Gemini's
 * cached contents.
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
  | "caches"
  | "suno"
  | "kling"
  | "midjourney";

/** Features of a request that can decide which dialect it is sent in. */
export type RequestFeature = "web-search" | "code-execution" | "tools" | "thinking" | "no-thinking";

/** The data about a call that a provider may use to shape its request. */
export interface RequestShape {
  /** Model name that is sent upstream; "" when the call names no model, such as a model list. */
  model: string;
  stream: boolean;
  /** Dialect of the body; absent for everything that is not chat. */
  dialect?: DialectId;
  /** True when the client uses another dialect, so it cannot have set this provider's own fields. */
  translated?: boolean;
  /** Reasoning requested by a client of another dialect; absent when it set none. */
  reasoning?: Reasoning;
  /** Features of the request that not every dialect of a provider supports. */
  needs?: ReadonlySet<RequestFeature>;
  /** Beta features of the Messages API that are requested, by the host's names. */
  betas?: readonly string[];
  /** Value of `channel.other`: an API version, a region, etc. */
  other: string;
  /** Value of `channel.plugin`, validated against the provider's schema when it was saved. */
  plugin: Record<string, Record<string, unknown>>;
}

/** A request as it is sent upstream. Header names are lower case. */
export interface Outgoing {
  method: "GET" | "HEAD" | "POST" | "PUT" | "PATCH" | "DELETE";
  url: string;
  headers: Record<string, string>;
  body: string | Buffer | null;
}

/** Side effects that signing needs. They are passed in, so that signing depends on its arguments only. */
export interface Io {
  /** Throws when no response arrives. */
  fetch(request: Outgoing): Promise<{ status: number; text: string }>;
  /** Milliseconds since 1970. */
  now(): number;
  tokens: TokenCache;
}

/**
 * Thrown for a credential that cannot be used: malformed, rejected,
 * or of a kind that the provider has retired.
 */
export class CredentialError extends Error {
  constructor(message: string) {
    super(message);
    this.name = "CredentialError";
  }
}

/** The cloud whose machine identities a provider accepts in place of a key. */
export type CloudIdentity =
  | { cloud: "aws" | "google" }
  /** `scope`: the resource for which a token of Azure is valid. */
  | { cloud: "azure"; scope: string };

/** Returns the resource for which a token of the machine's identity is valid; "" where it has none. */
export function tokenScope({ identity }: Pick<Provider, "identity">): string {
  return identity?.cloud === "azure" ? identity.scope : "";
}

/** Serves one of our paths through a provider that has a different wire format for it. Pure. */
export interface Adapter {
  /** Converts a body from OpenAI's format to the provider's. Throws GatewayError for unsupported features. */
  request(body: Wire, call: RequestShape): { path: string; headers: Record<string, string>; body: string };
  /**
   * Converts the provider's complete response to OpenAI's format. Without it, the response passes unchanged.
   * @param now milliseconds since 1970
   */
  answer?(text: string, now: number): AdaptedAnswer | { error: UpstreamError };
}

export interface AdaptedAnswer {
  contentType: string;
  body: Buffer;
  /** Absent when the provider does not report it. */
  usage?: Usage;
}

/** The endpoint that lists a provider's models. */
export interface Listing {
  /** A path below the provider's base URL, or an absolute URL. */
  path: string;
  /** Returns the model names in the response. Without it, the usual fields are read. */
  read?(answer: unknown): string[];
}

/**
 * `openai-billing` is OpenAI's former billing API, which other gateways still serve: a limit in
 * `/v1/dashboard/billing/subscription` and the usage of a range of days.
 */
export type Balance = "openai-billing" | BalanceAnswer;

export interface BalanceAnswer {
  path: string;
  /** Returns undefined when the response contains no balance. */
  read(answer: unknown): { amount: number; currency: "USD" | "CNY" } | undefined;
}

/** The provider's own error codes, where they are more specific than the HTTP status or differ from it. */
export interface Refusals {
  /** Error kinds by code, by the part of the code before its first ".", or by status. */
  kinds: Readonly<Record<string, UpstreamError["kind"]>>;
  /** Response header that contains the code, in lower case. Text after ":" is ignored. */
  header?: string;
  /** Patterns of error messages, for providers that distinguish errors by their message only. */
  sentences?: readonly (readonly [RegExp, UpstreamError["kind"]])[];
}

/** What a host of the Messages API accepts (`messages-hosts.ts`). */
export interface MessagesHost {
  /** Flags of `anthropic-beta` that the host knows, by the client's flag. All other flags are left out. */
  betas: Readonly<Record<string, readonly string[]>>;
  /** Top-level fields that the host does not know. */
  fields: ReadonlySet<string>;
  /** Types of tools that the host does not run. */
  tools: RegExp;
}

export type CacheKeyPlace = { readonly field: string } | { readonly header: string };

/** Whether a channel with this base URL calls the provider itself, and no other host that speaks like it. */
export function isOwnAddress(provider: Pick<Provider, "baseUrl">, baseUrl: string): boolean {
  return baseUrl === "" || baseUrl === provider.baseUrl;
}

/**
 * A provider: its address, dialects, authentication and quirks.
 * A plain record; shared code never checks which provider it is.
 */
export interface Provider {
  /** Number stored in `channels.type`. Only the registry of this module knows these numbers. */
  type: number;
  /** File name of the definition. */
  id: string;
  label: string;
  /** Name of an icon that the console includes. Default: the id, or a neutral icon where there is none for it. */
  icon?: string;
  /** Group in the console's list of providers. Default: "more". */
  group?: ProviderGroup;
  /** Page of the documentation about it, such as `provider-openai`. Default: the page about all providers. */
  help?: string;
  /**
   * Base URL without a trailing slash; "" when only an administrator knows it. `places` fills each `{name}`
   * in it, also in a base URL that an administrator set.
   */
  baseUrl: string;
  /** A server of this gateway: its address is not shown. */
  isInternal?: true;
  /**
   * Dialects of its chat endpoints. Requests in one of them pass unchanged;
   * others are translated to the first.
   */
  dialects: readonly [DialectId, ...DialectId[]];
  /** The subset of `dialects` that this call may use. Set only when that depends on the model. */
  speaks?(call: RequestShape): readonly [DialectId, ...DialectId[]];
  /**
   * Returns the wire format for chat calls in a format that only this provider has. `dialects` then only
   * states the dialects in which such a call is tested.
   */
  wire?(call: RequestShape): ProviderWire | undefined;
  /** Meaning of the provider's own error codes. */
  refusals?: Refusals;
  /** Response header that names the service tier, in lower case. Set when the body does not name it. */
  tierHeader?: string;
  endpoints: readonly Endpoint[];
  /**
   * Returns whether a channel with this plugin serves a path of ours, e.g. `/v1/images/edits`. Default: true.
   */
  offers?(path: string, plugin: RequestShape["plugin"]): boolean;
  /** Returns whether the provider counts tokens at this path of one of its dialects. Default: true. */
  countsTokens?(path: string): boolean;
  /**
   * The subset of `dialects` in which the provider runs web searches itself. In the others, the gateway can run them. A host
   * of Messages that does not run them says so in `messages.tools`.
   */
  runsWebSearch?: readonly DialectId[];
  /** Models that search the web for every response. The provider bills each search but does not report it. */
  searches?: RegExp;
  /**
   * The subset of `dialects` in which this provider accepts images and files
   * as bytes only, even if the format allows URLs.
   */
  bytesOnly?: readonly DialectId[];
  /**
   * True when the provider compacts conversations and clears old tool results itself, as Messages requests it
   * (`context_management`, `compaction`).
   */
  managesContext?: boolean;
  /** What this host of the Messages API accepts; absent where it accepts everything, or ignores it. */
  messages?: MessagesHost;
  /**
   * Family of providers that accept each other's proofs of thinking (`dialects/reasoning/proof.ts`), unless the name of the
   * model tells its maker. Default: the provider's id. "unknown" where requests are passed on to other providers.
   */
  proofs?: string;
  /** True when `/v1/responses` is also served over WebSocket. */
  responsesWebSocket?: boolean;
  /**
   * Where the provider takes a name of the conversation, by dialect. Calls with the same name reach the server that has their
   * beginning in its cache.
   */
  cacheKey?: Partial<Record<DialectId, CacheKeyPlace>>;
  /**
   * Returns the minimum tokens of a prompt's beginning that the provider caches at a mark (`cache_control`); undefined
   * for a call whose model or dialect has no marks.
   */
  cacheMarks?(call: RequestShape): number | undefined;
  /** True when a key is optional, as for providers on the administrator's own machine. */
  keyless?: boolean;
  /** Set when a channel can use the identity of the machine (`aws:`, `google:`, `azure:`) in place of a key. */
  identity?: CloudIdentity;
  /** Example of a key, shown in the form. */
  keyHint: string;
  /** Label of `channel.other`, set when this provider needs it. */
  otherLabel?: string;
  models: readonly string[];
  testModel: string;
  website: string;
  plugin?: ZodType;
  /** Returns the headers that carry the credential. */
  headers(key: string, call: RequestShape): Record<string, string>;
  /**
   * Returns the values for each `{name}` of the base URL.
   * Throws CredentialError when the key does not contain them.
   */
  places?(key: string, call: RequestShape): Record<string, string>;
  /**
   * Returns the path when it is not the standard one: the dialect's path,
   * or OpenAI's for everything but chat.
   */
  path?(call: RequestShape, standard: string): string;
  /** Applies quirks of chat to an encoded body. Returns the same object when nothing changes. */
  adjustRequest?(body: Wire, call: RequestShape): Wire;
  /** True when responses from the provider's own address never deviate from the dialect, so that none is repaired. */
  exact?: boolean;
  /**
   * Adapters by path of ours, e.g. `/v1/audio/speech`, for paths with
   * a different wire format at this provider.
   */
  adapters?: Readonly<Record<string, Adapter>>;
  /** Last step before sending. Throws CredentialError. */
  sign?(request: Outgoing, key: string, io: Io): Promise<Outgoing>;
  /**
   * Converts streams that are not server-sent events to such events.
   * The content type identifies these streams.
   */
  unframe?: { contentType: string; open(): (chunk: Uint8Array) => Buffer };
  /** Default: `/v1/models`. "none" when the provider has no list; then `models` is the complete list. */
  listing?: Listing | "none";
  balance?: Balance;
}

export function bearer(key: string): Record<string, string> {
  return key === "" ? {} : { authorization: `Bearer ${key}` };
}

/** A token of an identity in Azure, with its scheme. */
const isToken = (key: string) => key.startsWith("Bearer ");

/** Returns the header of Azure's services, for a key or for a token of an identity. */
export function azureKey(key: string): Record<string, string> {
  return isToken(key) ? { authorization: key } : { "api-key": key };
}

/** Does the same where keys have Anthropic's headers. */
export function azureAnthropicKey(key: string): Record<string, string> {
  return isToken(key) ? { authorization: key, "anthropic-version": ANTHROPIC_VERSION } : anthropicKey(key);
}

/** Does the same where keys are tokens, too. */
export function azureBearer(key: string): Record<string, string> {
  return isToken(key) ? { authorization: key } : bearer(key);
}

const ANTHROPIC_VERSION = "2023-06-01";

/** Returns Anthropic's headers, also for providers with a compatible API. */
export function anthropicKey(key: string): Record<string, string> {
  return { "x-api-key": key, "anthropic-version": ANTHROPIC_VERSION };
}

/**
 * Returns headers for providers that offer Anthropic's API beside their own. Some read the key from
 * `authorization`, some from `x-api-key`.
 */
export function bearerOrAnthropic(key: string, { dialect }: RequestShape): Record<string, string> {
  return dialect === "anthropic" ? { ...bearer(key), ...anthropicKey(key) } : bearer(key);
}

/** Returns whether a channel with this plugin can serve a path of ours. */
export function serves(
  provider: Provider,
  needs: Endpoint,
  path: string,
  plugin: RequestShape["plugin"],
): boolean {
  return provider.endpoints.includes(needs) && provider.offers?.(path, plugin) !== false;
}

/** Returns whether the model searches for every response, whatever is requested. */
export function alwaysSearches({ searches }: Pick<Provider, "searches">, model: string): boolean {
  return searches?.test(model) === true;
}

/** Makers by the names of their models. Every host of such a model accepts the proofs of every other. */
const makers: readonly (readonly [RegExp, string])[] = [
  [/claude/, "anthropic"],
  [/gemini/, "google"],
];

/** Makers that only providers without models of their own are asked for: other hosts have separate proofs. */
const relayed: readonly (readonly [RegExp, string])[] = [
  [/(?:^|[/.])(?:gpt-|o[1-9](?:-|$)|codex)/, "openai"],
  [/(?:^|[/.])grok-/, "xai"],
];

/**
 * Returns the origin of the proofs of thinking that this provider issues and accepts for a model; undefined
 * when it is not known.
 */
export function proofOrigin({ proofs, id }: Provider, model: string): string | undefined {
  const findMaker = (list: typeof makers) => list.find(([name]) => name.test(model))?.[1];
  return findMaker(makers) ?? (proofs === "unknown" ? findMaker(relayed) : (proofs ?? id));
}

/** Returns the dialects that a call to this model may use. */
export function dialectsFor(provider: Provider, call: RequestShape): readonly [DialectId, ...DialectId[]] {
  return provider.speaks?.(call) ?? provider.dialects;
}
