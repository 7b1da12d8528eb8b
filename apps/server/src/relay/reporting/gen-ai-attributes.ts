/**
 * Attributes of a call by OpenTelemetry's semantic conventions for generative AI
 * (https://opentelemetry.io/docs/specs/semconv/gen-ai/), and the gateway's own below `gateway.`.
 */
import { lookupTable } from "@gateway/shared/lookup-table";
import type { Attributes } from "@opentelemetry/api";
import { listPoints } from "#domain/pricing/pricing.ts";
import { conventionName } from "#providers/convention-name.ts";
import type { CallReport } from "#relay/core/billing/call-report.ts";
import type { ReceivedCall } from "#relay/core/call.ts";

const operations = lookupTable<string>({
  chat: "chat",
  responses: "chat",
  completions: "text_completion",
  embeddings: "embeddings",
});

/** Returns the name of the operation. Kinds of calls that the conventions do not name have the gateway's names. */
export function operationOf({ needs }: Pick<ReceivedCall, "needs">): string {
  return operations[needs] ?? needs;
}

/** @param pointsPerUsd points that cost one dollar */
export function callAttributes(report: CallReport, pointsPerUsd: number): Attributes {
  const { received, record, provider, channel, attempts } = report;
  const attributes: Attributes = {
    "gen_ai.operation.name": operationOf(received),
    "gen_ai.request.model": received.model,
    "gen_ai.request.stream": record.isStream,
    "http.route": record.endpoint,
    "http.response.status_code": record.status,
    "gateway.request.id": record.requestId,
    "gateway.outcome": record.outcome,
    "gateway.attempts": attempts.length,
    "gateway.group": record.group,
    "gateway.user.id": record.userId,
    "gateway.token.id": record.tokenId,
    "gateway.cache_hit": record.cacheHit,
    ...chargeAttributes(chargeOf(record, pointsPerUsd)),
    ...usageAttributes(record),
  };
  const optional = {
    "gateway.client.request_id": received.clientRequestId,
    "gateway.client.dialect": received.client?.id,
    "gen_ai.provider.name": provider === undefined ? undefined : conventionName(provider),
    "gen_ai.response.model": record.upstreamModel || undefined,
    "gen_ai.conversation.id": record.session?.id,
    "gateway.billed_model": record.modelName || undefined,
    "gateway.channel.id": record.channelId || undefined,
    "gateway.channel.name": channel,
    "gateway.time_to_first_byte": record.firstByteTimeMs > 0 ? record.firstByteTimeMs / 1_000 : undefined,
    "error.type": record.outcome === "complete" ? undefined : record.errorCode || record.outcome,
  };
  for (const [name, value] of Object.entries(optional)) if (value !== undefined) attributes[name] = value;
  return attributes;
}

/** What a call costs. */
export interface Charge {
  /** What the account paid. */
  points: number;
  usd: number;
  /** The price in dollars without the ratio of the account's group; undefined for a call without a price. */
  costUsd: number | undefined;
}

/** @param pointsPerUsd points that cost one dollar */
export function chargeOf(
  { quota, bill }: Pick<CallReport["record"], "quota" | "bill">,
  pointsPerUsd: number,
): Charge {
  const points = Number(quota);
  return {
    points,
    usd: points / pointsPerUsd,
    costUsd: bill === null ? undefined : Number(listPoints(bill)) / pointsPerUsd,
  };
}

/** @param prefix of the names */
export function chargeAttributes({ points, usd, costUsd }: Charge, prefix = "gateway"): Attributes {
  return {
    [`${prefix}.charge.points`]: points,
    [`${prefix}.charge.usd`]: usd,
    ...(costUsd !== undefined && { [`${prefix}.cost.usd`]: costUsd }),
  };
}

function usageAttributes({ usage, estimated }: CallReport["record"]): Attributes {
  if (usage === undefined) return {};
  const written = (usage.cacheWrite5m ?? 0) + (usage.cacheWrite1h ?? 0);
  const attributes: Attributes = {
    "gen_ai.usage.input_tokens": usage.input,
    "gen_ai.usage.output_tokens": usage.output,
    "gateway.usage.estimated": estimated,
  };
  const kinds = {
    "gen_ai.usage.cache_read.input_tokens": usage.cacheRead,
    "gen_ai.usage.cache_creation.input_tokens": written,
    "gen_ai.usage.reasoning.output_tokens": usage.reasoning,
    "gateway.usage.audio.input_tokens": usage.audioInput,
    "gateway.usage.audio.output_tokens": usage.audioOutput,
    "gateway.usage.image.input_tokens": usage.imageInput,
    "gateway.usage.image.output_tokens": usage.imageOutput,
  };
  for (const [name, tokens] of Object.entries(kinds))
    if (tokens !== undefined && tokens > 0) attributes[name] = tokens;
  return attributes;
}

/** Where each client dialect has it. Responses and Interactions only have a status. */
const finishes =
  /"(?:finish_reason|stop_reason|finishReason)"\s*:\s*"([\w-]{1,64})"|"(?:type"\s*:\s*"response\.|status"\s*:\s*")(completed|incomplete|failed)"/g;

/** Returns the finish reason at the end of a response in any client dialect, as the client received it. */
export function finishReasonIn(end: string): string | undefined {
  let found: string | undefined;
  for (const [, reason, state] of end.matchAll(finishes)) found = reason ?? state ?? found;
  return found;
}
