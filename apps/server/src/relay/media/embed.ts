import { z } from "zod";
import type { Wire } from "#dialects/dialect.ts";
import {
  adjustEmbedRequest,
  type EmbedRequest,
  encodeVectors,
  toOpenaiEmbedRequest,
} from "#dialects/gemini/embeddings.ts";
import { modelSegment } from "#dialects/gemini/model-segment.ts";
import { dialects } from "#dialects/index.ts";
import type { Usage } from "#dialects/ir.ts";
import { parseJson } from "#dialects/json/parse-json.ts";
import { liftVectors, vectorsIn } from "#dialects/media/vectors.ts";
import { withoutNegativeCounts } from "#dialects/usage/negative-counts.ts";
import { emptyTally } from "#dialects/usage/tally.ts";
import { readAs } from "#dialects/wire.ts";
import { dialectsFor } from "#providers/provider.ts";
import type { Answer, ReceivedCall } from "#relay/core/call.ts";
import { relay } from "#relay/core/exchange.ts";
import { selectResponseHeaders } from "#relay/core/response/response-headers.ts";
import { unreadableError, wholeText } from "#relay/core/response/whole-text.ts";
import type { RelayServices } from "#relay/core/services.ts";
import type { EncodedRequest } from "#relay/core/upstream/ask.ts";
import { shapeOf } from "#relay/core/upstream/send.ts";
import { plainUsage } from "./plain-usage.ts";

/**
 * A call for embeddings on Gemini's wire. Sent natively where the provider speaks it, else on OpenAI's wire.
 */
export interface EmbedCall extends ReceivedCall {
  readonly body: Wire;
  readonly raw: Buffer;
  readonly request: EmbedRequest;
}

const MAX_BODY_BYTES = 128 * 1024 * 1024;

interface EncodedEmbed extends EncodedRequest {
  isNative: boolean;
}

export function relayEmbed(services: RelayServices, call: EmbedCall): Promise<Answer> {
  return relay<Answer, EncodedEmbed>(services, call, {
    encode({ target: { channel, upstreamModel: model } }) {
      const isNative = dialectsFor(channel.provider, shapeOf(channel, { model })).includes("gemini");
      return {
        request: isNative ? natively(call, model) : onOpenai(call, model),
        decodeError: dialects[isNative ? "gemini" : "openai-chat"].decodeError,
        isNative,
      };
    },
    async read(response, { isNative }, routed, bill) {
      const text = await wholeText(response, MAX_BODY_BYTES, call.memory);
      const rest = (await liftVectors(text, isNative ? "values" : "embedding"))?.rest ?? "";
      const usage = isNative ? nativeUsage(rest) : plainUsage(rest).usage;
      const reported = usage === undefined || usage.input <= 0 ? undefined : usage;
      const body = isNative
        ? nativeBody(text, rest)
        : await translateResponse(text, call.request, reported ?? routed.planned.plan.estimate);
      if (body === undefined) return { error: unreadableError(response.status) };
      bill.accept(routed);
      await bill.settle({ routed, outcome: "complete", reported, delivered: emptyTally() });
      const headers = selectResponseHeaders(response.headers, isNative ? [] : call.request.own);
      if (reported === undefined) headers["x-gateway-estimated"] = "tokens";
      return { kind: "body", headers, body };
    },
  });
}

const json = { "content-type": "application/json", accept: "application/json" };

function natively(call: EmbedCall, model: string): EncodedRequest["request"] {
  const body = adjustEmbedRequest(call.body, model);
  return {
    method: "POST",
    path: `/v1beta/models/${modelSegment(model)}:${call.request.batch ? "batchEmbedContents" : "embedContent"}`,
    model,
    dialect: "gemini",
    headers: json,
    body: body === call.body ? call.raw : JSON.stringify(body),
  };
}

function onOpenai(call: EmbedCall, model: string): EncodedRequest["request"] {
  return {
    method: "POST",
    path: "/v1/embeddings",
    model,
    headers: json,
    body: JSON.stringify(toOpenaiEmbedRequest(call.request, model)),
  };
}

/** A response in which vectors are replaced by their positions. */
const answer = z.looseObject({
  embedding: z.looseObject({ values: z.int() }).nullish(),
  embeddings: z.array(z.looseObject({ values: z.int() })).nullish(),
  usageMetadata: z.looseObject({ promptTokenCount: z.int().nullish() }).nullish(),
});

function nativeBody(text: string, rest: string): string | undefined {
  const read = readAs(answer, parseJson(rest));
  return read?.embedding || read?.embeddings ? withoutNegativeCounts(text) : undefined;
}

/** Returns the reported usage. Older models report none. */
function nativeUsage(rest: string): Usage | undefined {
  const { usageMetadata } = readAs(answer, parseJson(rest)) ?? {};
  const input = usageMetadata?.promptTokenCount;
  return input === undefined || input === null ? undefined : { input, output: 0, raw: usageMetadata };
}

async function translateResponse(
  text: string,
  request: EmbedRequest,
  { input }: Pick<Usage, "input">,
): Promise<string | undefined> {
  const vectors = await vectorsIn(text);
  if (vectors?.length !== request.texts.length) return undefined;
  return encodeVectors(vectors, request, input);
}
