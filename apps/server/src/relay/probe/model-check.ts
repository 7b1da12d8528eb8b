/**
 * Checks whether a model behind a channel is the one it claims to be, with a few questions that a relabelled
 * or weakened model fails. Reports findings only, and does not rate the provider.
 */
import {
  type CheckFinding,
  CheckStatus,
  type CheckStep,
  type ModelCheck,
} from "@gateway/shared/models/model-check";
import type { Upstream } from "#dialects/dialect.ts";
import { dialects } from "#dialects/index.ts";
import type { ChatRequest, ChatResponse, DialectId, Part } from "#dialects/ir.ts";
import { parseSmall } from "#dialects/json/parse-json.ts";
import { parseRecord } from "#dialects/wire.ts";
import type { ChannelForTest } from "#domain/channels/channel-row.ts";
import { type ActiveChannel, mapModel } from "#domain/channels/selection/active-channel.ts";
import { GatewayError } from "#errors.ts";
import { dialectsFor } from "#providers/provider.ts";
import { encodeChat, type EncodedChat } from "#relay/chat/encode-chat.ts";
import { attempt, type FailedAttempt } from "#relay/core/upstream/ask.ts";
import { withoutCredentials } from "#relay/core/upstream/scrub.ts";
import { shapeOf } from "#relay/core/upstream/send.ts";
import { asActiveChannel, type ProbeServices } from "./probe.ts";

const STEP_TIMEOUT_MS = 60_000;
const MAX_SHOWN = 4_000;
const MAX_BODY_BYTES = 4 * 1024 * 1024;

type ProbeAnswer = { response: ChatResponse; text: string };
type ProbeResult = ProbeAnswer | { refused: string; status: number };
type Ask = (
  request: Partial<ChatRequest>,
  change?: (body: Record<string, unknown>) => void,
) => Promise<ProbeResult>;

export async function checkModel(
  services: ProbeServices,
  input: { channel: ChannelForTest; model: string },
): Promise<ModelCheck> {
  const channel = asActiveChannel(services.providers, input.channel);
  const model = mapModel(channel, input.model).upstream;
  const [dialect] = dialectsFor(channel.provider, shapeOf(channel, { model }));
  const ask = asker(services, channel, model, dialect);
  const first = await replies(ask, model, dialect);
  const process = [first];
  // A model that does not respond cannot be identified.
  if (first.results[0]?.status === CheckStatus.fine)
    process.push(await refusesNonsense(ask), await sees(ask), await keepsToSchema(ask), await callsTool(ask));
  return { model: input.model, process };
}

function asker(services: ProbeServices, channel: ActiveChannel, model: string, id: DialectId): Ask {
  const client = dialects[id];
  return async (part, change) => {
    const request: ChatRequest = { model, stream: false, messages: [], maxOutputTokens: 512, ...part };
    const { body } = client.encodeRequest(request);
    change?.(body);
    const raw = Buffer.from(JSON.stringify(body));
    const call = { client, body, raw, request, forward: {} };
    const target = { channel, key: channel.keys[0], upstreamModel: model };
    const tried = await attempt<ProbeAnswer, EncodedChat>(
      services,
      target,
      {
        encode: () => encodeChat(call, target, services.settings.current()),
        read: async (response, { upstream }) => readAnswer(upstream, await response.text(MAX_BODY_BYTES)),
      },
      { signal: AbortSignal.timeout(STEP_TIMEOUT_MS) },
    );
    if ("error" in tried)
      return { refused: withoutCredentials(tried.error.message, target), status: tried.error.status };
    return tried;
  };
}

function readAnswer(
  { decodeResponse, read = parseSmall }: Upstream,
  text: string,
): ProbeAnswer | FailedAttempt {
  try {
    return { response: decodeResponse(read(text)), text };
  } catch (error) {
    if (!(error instanceof SyntaxError || error instanceof GatewayError)) throw error;
    return { error: { kind: "server", message: "The answer could not be read.", status: 200 } };
  }
}

const says = (text: string): ChatRequest["messages"] => [{ role: "user", parts: [{ type: "text", text }] }];
const { failed, fine, unknown } = CheckStatus;

function finding(name: string, good: boolean | undefined, remark: string): CheckFinding {
  return { name, status: good === undefined ? unknown : good ? fine : failed, remark };
}

function step(name: string, requested: ProbeResult, results: CheckFinding[]): CheckStep {
  const shown = "refused" in requested ? `HTTP ${requested.status}: ${requested.refused}` : requested.text;
  return { name, results, response: shown.slice(0, MAX_SHOWN) };
}

function refusedBy(requested: { refused: string; status: number }): string {
  return requested.status === 0 ? requested.refused : `HTTP ${requested.status}`;
}

/** Prefixes of response ids at the original provider. */
const idPrefixes: Partial<Record<DialectId, string>> = {
  "openai-chat": "chatcmpl-",
  "openai-responses": "resp_",
  anthropic: "msg_",
};

async function replies(ask: Ask, model: string, dialect: DialectId): Promise<CheckStep> {
  const requested = await ask({ messages: says("Say hi.") });
  const name = "Text response";
  if ("refused" in requested)
    return step(name, requested, [finding("Responds", false, refusedBy(requested))]);
  const { id, usage, model: named } = requested.response;
  const prefix = idPrefixes[dialect];
  const counted = usage !== undefined && usage.input > 0 && usage.output > 0;
  return step(name, requested, [
    finding("Responds", true, ""),
    finding("Usage is reported", counted, usage === undefined ? "" : `${usage.input} + ${usage.output}`),
    finding("Reports the requested model", isSameModel(named, model), named),
    finding(
      "Uses the provider's ID format",
      prefix === undefined || id === "" ? undefined : id.startsWith(prefix),
      id,
    ),
  ]);
}

/** Whether two model names match. Providers may add a date or a region. */
function isSameModel(named: string, requested: string): boolean | undefined {
  if (named === "") return undefined;
  const [one, other] = [named.toLowerCase(), requested.toLowerCase()];
  return one.includes(other) || other.includes(one);
}

/**
 * Checks that an invalid role is rejected. The number of request ids in the error shows how many relays are
 * in between.
 */
async function refusesNonsense(ask: Ask): Promise<CheckStep> {
  const requested = await ask({ messages: says("Say hi.") }, (body) => {
    for (const field of ["messages", "input", "contents"])
      if (Array.isArray(body[field]))
        body[field] = [{ role: "nobody", content: "Hi", parts: [{ text: "Hi" }] }];
  });
  const name = "Invalid role";
  if (!("refused" in requested))
    return step(name, requested, [
      finding(
        "Refuses an invalid request",
        false,
        "A relay between this server and the provider changes requests.",
      ),
    ]);
  const relays = requested.refused.match(/request[ _-]?id/gi)?.length ?? 0;
  return step(name, requested, [
    finding(
      "Refuses an invalid request",
      requested.status >= 400 && requested.status < 500,
      refusedBy(requested),
    ),
    finding("Intermediate relays", relays <= 1 ? undefined : false, String(relays)),
  ]);
}

/** 16 × 16 pixels of plain red. */
const redPicture =
  "iVBORw0KGgoAAAANSUhEUgAAABAAAAAQCAIAAACQkWg2AAAAFklEQVR42mP4z8BAEmIY1TCqYfhqAACQ+f8B8u7oVwAAAABJRU5ErkJggg==";

async function sees(ask: Ask): Promise<CheckStep> {
  const requested = await ask({
    messages: [
      {
        role: "user",
        parts: [
          { type: "text", text: "Which colour is this picture? Answer with one English word." },
          { type: "image", source: { type: "data", mediaType: "image/png", data: redPicture } },
        ],
      },
    ],
  });
  const name = "Image";
  // Not every model accepts images, so a rejection is inconclusive.
  if ("refused" in requested)
    return step(name, requested, [finding("Recognizes an image", undefined, refusedBy(requested))]);
  const text = textOf(requested.response);
  return step(name, requested, [finding("Recognizes an image", /\bred\b/i.test(text), text.slice(0, 80))]);
}

async function keepsToSchema(ask: Ask): Promise<CheckStep> {
  const requested = await ask({
    messages: says("Paris has two million inhabitants. Give city and population."),
    responseFormat: {
      type: "json-schema",
      name: "city",
      strict: true,
      schema: {
        type: "object",
        properties: { city: { type: "string" }, population: { type: "integer" } },
        required: ["city", "population"],
        additionalProperties: false,
      },
    },
  });
  const name = "Structured response";
  if ("refused" in requested)
    return step(name, requested, [finding("Follows the schema", undefined, refusedBy(requested))]);
  const text = textOf(requested.response);
  const answer = parseRecord(text);
  const keeps = typeof answer?.["city"] === "string" && Number.isInteger(answer["population"]);
  return step(name, requested, [finding("Follows the schema", keeps, text.slice(0, 80))]);
}

async function callsTool(ask: Ask): Promise<CheckStep> {
  const requested = await ask({
    messages: says("What is the weather in Paris?"),
    tools: [
      {
        name: "get_weather",
        description: "The weather of a city",
        schema: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
      },
    ],
    toolChoice: { type: "required" },
  });
  const name = "Tool call";
  if ("refused" in requested)
    return step(name, requested, [finding("Calls the tool", undefined, refusedBy(requested))]);
  const call = partsOf(requested.response).find((part) => part.type === "tool-call");
  const good = call?.name === "get_weather" && typeof parseRecord(call.input)?.["city"] === "string";
  return step(name, requested, [
    finding("Calls the tool", good, call === undefined ? "" : call.input.slice(0, 80)),
  ]);
}

function partsOf(response: ChatResponse): Part[] {
  return response.choices.flatMap((choice) => choice.parts);
}

function textOf(response: ChatResponse): string {
  return partsOf(response)
    .map((part) => (part.type === "text" ? part.text : ""))
    .join("");
}
