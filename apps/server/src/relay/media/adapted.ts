import { dialects } from "#dialects/index.ts";
import { parseRecord } from "#dialects/wire.ts";
import { now } from "#platform/clock.ts";
import type { UpstreamResponse } from "#platform/http/exchange.ts";
import type { AdaptedAnswer, Adapter } from "#providers/provider.ts";
import { refusal } from "#providers/refusal.ts";
import type { MemoryShare } from "#relay/core/call.ts";
import { wholeText } from "#relay/core/response/whole-text.ts";
import type { EncodedRequest, FailedAttempt, Target } from "#relay/core/upstream/ask.ts";
import { shapeOf } from "#relay/core/upstream/send.ts";
import type { PlainCall } from "./plain-call.ts";

const MAX_BODY_BYTES = 128 * 1024 * 1024;

/** Encodes a call other than chat in a provider's own format. Throws the adapter's error. */
export function encodeAdapted(
  { bodyFor }: Pick<PlainCall, "bodyFor">,
  { channel, upstreamModel: model }: Target,
  adapter: Adapter,
): EncodedRequest {
  const given = bodyFor(model);
  const body =
    (typeof given === "string" || Buffer.isBuffer(given) ? parseRecord(String(given)) : undefined) ?? {};
  const requested = adapter.request(body, shapeOf(channel, { model }));
  return {
    request: {
      method: "POST",
      path: requested.path,
      ownPath: true,
      model,
      headers: { accept: "*/*", ...requested.headers },
      body: requested.body,
    },
    decodeError: dialects["openai-chat"].decodeError,
  };
}

/** Converts the response to our format. Returns undefined when it passes unchanged. */
export async function readAdapted(
  response: UpstreamResponse,
  { channel }: Pick<Target, "channel">,
  adapter: Adapter,
  memory: MemoryShare | undefined,
): Promise<AdaptedAnswer | FailedAttempt | undefined> {
  if (adapter.answer === undefined) return undefined;
  const whole = adapter.answer(await wholeText(response, MAX_BODY_BYTES, memory), now());
  return "error" in whole ? { error: refusal(channel.provider, whole.error) } : whole;
}
