/**
 * Capabilities of OpenAI's model families, on every host: https://platform.openai.com/docs/guides/reasoning.
 */
import type { DialectId } from "#dialects/ir.ts";
import { asRecord } from "#dialects/wire.ts";
import { chatIds, idsInChat, idsInResponses, responsesIds } from "#providers/call-ids.ts";
import type { RequestShape } from "#providers/provider.ts";
import { type Adjust, onChat, onResponses, renameField, without } from "#providers/quirks.ts";
import { functionSchemas } from "#providers/schemas/openai.ts";
import { chatEffort, chats, effortsOf, knownEffort } from "./model-efforts.ts";

const reasons = /(?:^|[/:])(?:o[1-9]|gpt-5|codex|computer-use)/;
/** From 5.1 on, thinking is off by default; sampling parameters are allowed while it is off. */
const thinksOnDemand = /(?:^|[/:])gpt-5\.[1-4](?!\d)(?!.*(?:codex|pro))/;
/** Models without chat completions: https://platform.openai.com/docs/models, read 2026-11-22. */
const responsesOnly =
  /(?:^|[/:])(?:gpt-[\d.]+-pro|gpt-[\d.]+-codex|o[13]-pro|o\d-(?:mini-)?deep-research|codex-mini|computer-use)/;
/**
 * Models that reject functions in chat completions while thinking:
 * https://github.com/openai/openai-openapi/issues/541.
 */
const callsWithoutThinking = /(?:^|[/:])gpt-(?:5\.(?:[4-9]|\d{2})|[6-9])(?!\d)/;
/** The subset of these that thinks by default. */
const thinksByDefault = /(?:^|[/:])gpt-(?:5\.(?:[6-9]|\d{2})|[6-9])(?!\d)/;

/** Models that search for every response, by the names in the price list. */
export const openaiSearches = /^gpt-[\w.-]+-search-(?:preview|api)/;

const sampling = [
  "temperature",
  "top_p",
  "presence_penalty",
  "frequency_penalty",
  "logprobs",
  "top_logprobs",
  "logit_bias",
];

/** Keeps the first four stop sequences; chat completions accept no more. */
const fourStops: Adjust = (body) => {
  const { stop } = body;
  return Array.isArray(stop) && stop.length > 4 ? { ...body, stop: stop.slice(0, 4) } : body;
};

/** Returns whether the model thinks for this request, so that its sampling parameters are fixed. */
function isThinking(model: string, effort: unknown): boolean {
  if (!reasons.test(model) || chats.test(model)) return false;
  return !thinksOnDemand.test(model) && effort !== "none" ? true : effort !== undefined && effort !== "none";
}

const chatSampling: Adjust = (body, call) => {
  if (!reasons.test(call.model) || chats.test(call.model)) return body;
  const limited = renameField("max_tokens", "max_completion_tokens")(body, call);
  const fixed = isThinking(call.model, body["reasoning_effort"]);
  return fixed ? without(...sampling)(limited, call) : limited;
};

const responsesEffort: Adjust = (body, call) => {
  const reasoning = asRecord(body["reasoning"]);
  if (reasoning === undefined) return body;
  const known = effortsOf(call.model);
  if (known?.length === 0) return without("reasoning")(body, call);
  const after = knownEffort(reasoning["effort"], call.model);
  if (after === reasoning["effort"]) return body;
  const { effort: _effort, ...rest } = reasoning;
  const next = after === undefined ? rest : { ...rest, effort: after };
  return Object.keys(next).length > 0 ? { ...body, reasoning: next } : without("reasoning")(body, call);
};

const responsesSampling: Adjust = (body, call) =>
  isThinking(call.model, asRecord(body["reasoning"])?.["effort"])
    ? without("temperature", "top_p", "top_logprobs")(body, call)
    : body;

const limitChat = onChat(chatEffort, chatSampling, fourStops, functionSchemas, idsInChat(chatIds));
const limitResponses = onResponses(
  responsesEffort,
  responsesSampling,
  functionSchemas,
  idsInResponses(responsesIds),
);

/** Adjusts a body in an OpenAI format to this model; returns the same body when nothing changes. */
export const openaiLimits: Adjust = (body, call) => limitResponses(limitChat(body, call), call);

/**
 * Renames the output limit for callers of other dialects to the name that all current models know. Deployment
 * names are arbitrary, so they do not identify the model.
 */
export const deploymentLimit: Adjust = (body, call) =>
  call.translated === true && !/gpt-?3|gpt-?4(?![.o1])/.test(call.model)
    ? renameField("max_tokens", "max_completion_tokens")(body, call)
    : body;

/**
 * Returns the dialects for a request of this model. Some models and some requests have no chat completions.
 */
export function openaiDialects({ model, needs }: RequestShape): readonly [DialectId, ...DialectId[]] {
  return responsesOnly.test(model) || needsResponses(model, needs)
    ? ["openai-responses"]
    : ["openai-chat", "openai-responses"];
}

/**
 * Returns whether a request needs the Responses API. Chat completions support web search with special models
 * only and do not run code. Newer models cannot both think and call functions there.
 */
function needsResponses(model: string, needs: RequestShape["needs"]): boolean {
  if (needs === undefined) return false;
  if (needs.has("web-search") || needs.has("code-execution")) return true;
  if (!needs.has("tools") || !callsWithoutThinking.test(model) || chats.test(model)) return false;
  return needs.has("thinking") || (thinksByDefault.test(model) && !needs.has("no-thinking"));
}
