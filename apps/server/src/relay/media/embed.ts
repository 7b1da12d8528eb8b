import { z } from "zod";
import type { Tally, Wire } from "#dialects/dialect.ts";
import { adjustEmbed, type EmbedRequest, encodeVectors, openaiEmbed } from "#dialects/gemini/embeddings.ts";
import { dialects } from "#dialects/index.ts";
import type { UpstreamError, Usage } from "#dialects/ir.ts";
import { vectorsIn } from "#dialects/vectors.ts";
import { parseJson, readAs } from "#dialects/wire.ts";
import { now } from "#platform/clock.ts";
import type { UpstreamResponse } from "#platform/http.ts";
import { dialectsFor } from "#providers/provider.ts";
import { refusal } from "#providers/refusal.ts";
import type { Answer, Call, Chosen } from "#relay/core/call.ts";
import { answerHeaders, relay } from "#relay/core/exchange.ts";
import type { Flight } from "#relay/core/flight.ts";
import { send, shapeOf } from "#relay/core/send.ts";
import type { RelayServices } from "#relay/core/services.ts";
import type { UpstreamCall } from "#relay/core/upstream-call.ts";
import { transportFailure } from "#relay/core/upstream-error.ts";
import { wholeText } from "#relay/core/whole-text.ts";
import { plainUsage } from "./plain-usage.ts";

/** Embeddings asked for on Gemini's wire: natively where the vendor speaks it, else on OpenAI's. */
export interface EmbedCall extends Call {
  body: Wire;
  raw: Buffer;
  request: EmbedRequest;
}

const MAX_ERROR_BYTES = 256 * 1024;
const MAX_BODY_BYTES = 128 * 1024 * 1024;
const silent: Tally = { narrow: 0, wide: 0 };

export function relayEmbed(services: RelayServices, call: EmbedCall): Promise<Answer> {
  return relay<Answer>(services, call, async (chosen, flight, begun) => {
    try {
      return await tryChannel(services, call, chosen, flight, begun);
    } catch (error) {
      return { error: transportFailure(error) };
    }
  });
}

async function tryChannel(
  services: RelayServices,
  call: EmbedCall,
  chosen: Chosen,
  flight: Flight,
  begun: number,
): Promise<Answer | { error: UpstreamError }> {
  const { channel, upstreamModel: model } = chosen;
  const isNative = dialectsFor(channel.provider, shapeOf(channel, { model })).includes("gemini");
  const response = await (isNative ? askNatively : askOpenai)(services, call, chosen, flight.upstream);
  if (response.status < 200 || response.status >= 300) {
    const text = await response.text(MAX_ERROR_BYTES).catch(() => "");
    const { decodeError } = dialects[isNative ? "gemini" : "openai-chat"];
    const error = decodeError(response.status, text, response.headers);
    return { error: refusal(channel.provider, error, response.headers) };
  }
  const text = await wholeText(response, MAX_BODY_BYTES, call.memory);
  const usage = isNative ? nativeUsage(text) : plainUsage(text).usage;
  const vendor = usage === undefined || usage.input === 0 ? undefined : usage;
  const body = isNative ? nativeBody(text) : translated(text, call, vendor);
  if (body === undefined)
    return { error: { kind: "server", message: "The upstream's answer could not be read.", status: 200 } };
  flight.chosen = chosen;
  flight.firstByteAt ??= now();
  flight.noteAttempt(chosen, begun, undefined);
  await flight.settle({ outcome: "complete", vendor, delivered: silent });
  const headers = answerHeaders(response.headers, isNative ? [] : call.request.own);
  if (vendor === undefined) headers["x-gateway-estimated"] = "tokens";
  return { kind: "body", headers, body };
}

type Ask = (
  services: RelayServices,
  call: EmbedCall,
  chosen: Chosen,
  upstream: UpstreamCall,
) => Promise<UpstreamResponse>;

const json = { "content-type": "application/json", accept: "application/json" };

const askNatively: Ask = (services, call, chosen, upstream) => {
  const model = chosen.upstreamModel;
  const body = adjustEmbed(call.body, model);
  return send(services, chosen, {
    method: "POST",
    path: `/v1beta/models/${model}:${call.request.batch ? "batchEmbedContents" : "embedContent"}`,
    model,
    dialect: "gemini",
    headers: json,
    body: body === call.body ? call.raw : JSON.stringify(body),
    signal: upstream.signal,
    progress: upstream,
  });
};

const askOpenai: Ask = (services, call, chosen, upstream) =>
  send(services, chosen, {
    method: "POST",
    path: "/v1/embeddings",
    model: chosen.upstreamModel,
    headers: json,
    body: JSON.stringify(openaiEmbed(call.request, chosen.upstreamModel)),
    signal: upstream.signal,
    progress: upstream,
  });

const answer = z.looseObject({
  embedding: z.looseObject({ values: z.array(z.number()) }).nullish(),
  embeddings: z.array(z.looseObject({ values: z.array(z.number()) })).nullish(),
  usageMetadata: z.looseObject({ promptTokenCount: z.int().nonnegative().nullish() }).nullish(),
});

function nativeBody(text: string): string | undefined {
  const read = readAs(answer, parseJson(text));
  return read?.embedding || read?.embeddings ? text : undefined;
}

/** Older models count nothing. */
function nativeUsage(text: string): Usage | undefined {
  const { usageMetadata } = readAs(answer, parseJson(text)) ?? {};
  const input = usageMetadata?.promptTokenCount;
  return input === undefined || input === null ? undefined : { input, output: 0, raw: usageMetadata };
}

function translated(text: string, call: EmbedCall, usage: Usage | undefined): string | undefined {
  const vectors = vectorsIn(text);
  if (vectors?.length !== call.request.texts.length) return undefined;
  return JSON.stringify(encodeVectors(vectors, call.request, usage?.input ?? call.estimate.input));
}
