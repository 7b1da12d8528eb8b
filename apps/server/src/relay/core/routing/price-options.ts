/**
 * What a list of channels means for every call of one model. Computed once per list, not per call, as there
 * may be thousands of channels. Candidate lists are immutable and only replaced as a whole, so results stay
 * valid.
 */
import { entryOf } from "@gateway/shared/lookup-table";
import type { Usage } from "#dialects/ir.ts";
import { asRecord } from "#dialects/wire.ts";
import { contextWindowOf, publishedModel } from "#domain/catalog/published-models.ts";
import { type ActiveChannel, mapModel } from "#domain/channels/selection/active-channel.ts";
import { type Estimate, tokensOf } from "#domain/pricing/estimate.ts";
import { imageFactor } from "#domain/pricing/image-tokens.ts";
import { longestAnswer } from "#domain/pricing/plausible.ts";
import { alwaysSearches, type Endpoint, serves } from "#providers/provider.ts";
import { addTo } from "#relay/core/billing/tally-text.ts";
import { dialectFor } from "#relay/core/upstream/send.ts";

/** The part of an estimate that is reserved for a call. */
export interface Reserves {
  /** 1: everything, 2: without images, 3: one token. */
  preCost: number;
  /** Tokens of the channel's own system prompt. */
  prompt: number;
  /** Output limit that the operator sets for the channel; 0 = none. */
  output: number;
  /**
   * Model name at a channel whose wire requires an output limit, which is added to requests without one; else
   * "".
   */
  demands: string;
  /** Longest response of the model, in tokens. */
  longest: number;
  /** Context window of the model, in tokens. */
  window: number;
  /** Factor of the tokens of images. */
  images: number;
  /** The gateway may add marks of the prompt cache, and the cache charges for what is written. */
  marks: boolean;
  /** The model searches for every response, whatever is requested. */
  searches: boolean;
}

/** One way to bill: the billed model, and the reservation. */
export interface PriceOption {
  billed: string;
  reserves: Reserves;
}

interface OptionCache {
  offered: Map<string, readonly ActiveChannel[]>;
  options: Map<string, readonly PriceOption[]>;
}

/** Maximum cached models per list. A wildcard list serves any name that clients invent. */
const MOST_MODELS = 200;

const known = new WeakMap<readonly ActiveChannel[], OptionCache>();

function knownOf(channels: readonly ActiveChannel[]): OptionCache {
  let facts = known.get(channels);
  if (facts === undefined) known.set(channels, (facts = { offered: new Map(), options: new Map() }));
  return facts;
}

/** Returns the channels whose provider serves this path for this model. */
export function offeredOf(
  channels: readonly ActiveChannel[],
  needs: Endpoint,
  path: string,
  model: string,
): readonly ActiveChannel[] {
  const { offered } = knownOf(channels);
  const name = needs === "responses" ? `${needs} ${path} ${model}` : `${needs} ${path}`;
  let found = offered.get(name);
  if (found === undefined) {
    // A channel that translates Responses to chat has none of the features that only Responses supports.
    const fits = (channel: ActiveChannel) =>
      serves(channel.provider, needs, path, channel.plugin) &&
      (needs !== "responses" || speaksResponses(channel, model));
    found = channels.every(fits) ? channels : channels.filter(fits);
    if (offered.size < MOST_MODELS) offered.set(name, found);
  }
  return found;
}

/** Whether one of the channels speaks Responses natively. */
export function offersResponses(channels: readonly ActiveChannel[], model: string): boolean {
  return offeredOf(channels, "responses", "/v1/responses", model).length > 0;
}

/** Whether each of the channels manages the context of a Messages call itself. */
export function allManageContext(channels: readonly ActiveChannel[], model: string): boolean {
  return (
    channels.length > 0 &&
    channels.every(
      (channel) =>
        channel.provider.managesContext === true &&
        dialectFor(channel, "anthropic", mapModel(channel, model).upstream) === "anthropic",
    )
  );
}

/** Whether each of the channels speaks Responses natively. */
export function allSpeakResponses(channels: readonly ActiveChannel[], model: string): boolean {
  return channels.length > 0 && channels.every((channel) => speaksResponses(channel, model));
}

function speaksResponses(channel: ActiveChannel, model: string): boolean {
  return dialectFor(channel, "openai-responses", mapModel(channel, model).upstream) === "openai-responses";
}

/** Returns the distinct ways in which these channels bill and reserve. */
export function priceOptionsOf(channels: readonly ActiveChannel[], model: string): readonly PriceOption[] {
  const { options } = knownOf(channels);
  let found = options.get(model);
  if (found === undefined) {
    const different = new Map<string, PriceOption>();
    for (const channel of channels) {
      const { billed, upstream } = mapModel(channel, model);
      const reserves = {
        preCost: channel.preCost,
        prompt: promptTokens(channel.systemPrompt),
        output: channel.parameters === undefined ? 0 : operatorLimit(channel.parameters, upstream),
        demands: dialectFor(channel, "openai-chat", upstream) === "anthropic" ? upstream : "",
        ...limitsOf(upstream),
        marks: cacheMinimumOf(channel, upstream) !== undefined,
        searches: alwaysSearches(channel.provider, upstream),
      };
      different.set(`${Object.values(reserves).join(" ")} ${billed}`, { billed, reserves });
    }
    found = [...different.values()];
    if (options.size < MOST_MODELS) options.set(model, found);
  }
  return found;
}

/**
 * Returns the minimum tokens of a beginning that a mark caches; undefined where no marks are added.
 * @param dialect of the request that is sent; default: that of a translated one
 */
export function cacheMinimumOf(
  channel: ActiveChannel,
  model: string,
  dialect = dialectFor(channel, "openai-chat", model),
): number | undefined {
  const { provider, cacheMarks, other, plugin } = channel;
  if (!cacheMarks) return undefined;
  return provider.cacheMarks?.({ model, dialect, stream: false, other, plugin });
}

function limitsOf(model: string): Pick<Reserves, "longest" | "window" | "images"> {
  return {
    longest: publishedModel(model)?.longestAnswer || longestAnswer,
    window: contextWindowOf(model),
    images: imageFactor(model),
  };
}

const limitNames = ["max_tokens", "max_completion_tokens", "max_output_tokens", "maxOutputTokens"];

/** Returns the largest output limit in the operator's own fields, which may override the client's. */
function operatorLimit(parameters: Readonly<Record<string, unknown>>, model: string): number {
  const own = parameters["per_model"] === true ? asRecord(entryOf(parameters, model)) : parameters;
  const config = asRecord(own?.["generationConfig"]);
  const values = limitNames.flatMap((name) => [own?.[name], config?.[name]]);
  return Math.max(0, ...values.filter((value) => typeof value === "number"));
}

function promptTokens(prompt: string): number {
  if (prompt === "") return 0;
  const tally = { narrow: 0, wide: 0 };
  addTo(tally, prompt);
  // Twice the usual count, so that the reservation covers the prompt.
  return 2 * tokensOf(tally);
}

/** Returns the part of an estimate that a channel reserves. */
export function reservedUsage(
  estimate: Estimate,
  { preCost, prompt, window, images }: Pick<Reserves, "preCost" | "prompt" | "window" | "images">,
): Usage {
  // One token, so that an account without balance is rejected.
  if (preCost === 3) return { input: 1, output: 0 };
  if (preCost === 1) {
    if (estimate.mostInput !== undefined) return largest(estimate, prompt, window, images);
    return prompt === 0 ? estimate : { ...estimate, input: estimate.input + prompt };
  }
  const { imageInput = 0, ...rest } = estimate;
  return { ...rest, input: Math.max(0, estimate.input - imageInput) + prompt };
}

/** Returns the usage with all input written to the prompt cache, as marks of the gateway may cause. */
export function withCacheWrites(usage: Usage): Usage {
  const isWritten = usage.cacheWrite5m !== undefined || usage.cacheWrite1h !== undefined;
  return isWritten ? usage : { ...usage, cacheWrite5m: usage.input };
}

/** Returns the usage with at least one search. */
export function withOneSearch(usage: Usage): Usage {
  if (usage.toolCalls?.["web-search"] !== undefined) return usage;
  return { ...usage, toolCalls: { ...usage.toolCalls, "web-search": 1 } };
}

/** Returns the largest usage of a request with parts that may contain more than their size shows. */
function largest(estimate: Estimate, prompt: number, window: number, images: number): Usage {
  const { input, mostInput: most, cacheWrite5m, cacheWrite1h, imageInput = 0 } = estimate;
  if (most === undefined) return estimate;
  // No model reads more than its window, whatever the parts contain. What is estimated is reserved in any case.
  const isOpen = most.window !== undefined;
  const dear = images === 1 ? most.image : Math.max(most.image, imageInput * images);
  const all = most.input - most.image + dear;
  const tokens = Math.max(input, isOpen ? window : Math.min(all, window)) + prompt;
  const audio = most.window === "audio" ? tokens : most.audio;
  return {
    ...estimate,
    input: tokens,
    ...(dear > 0 ? { imageInput: dear } : {}),
    ...(audio > 0 ? { audioInput: audio } : {}),
    ...(cacheWrite5m === undefined ? {} : { cacheWrite5m: tokens }),
    ...(cacheWrite1h === undefined ? {} : { cacheWrite1h: tokens }),
  };
}
