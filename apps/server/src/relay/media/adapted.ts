import { dialects } from "#dialects/index.ts";
import type { UpstreamError } from "#dialects/ir.ts";
import { parseRecord } from "#dialects/wire.ts";
import { now } from "#platform/clock.ts";
import type { RequestProgress, UpstreamResponse } from "#platform/http.ts";
import type { AdaptedAnswer, Adapter } from "#providers/provider.ts";
import { refusal } from "#providers/refusal.ts";
import type { Chosen } from "#relay/core/call.ts";
import { send, shapeOf } from "#relay/core/send.ts";
import type { RelayServices } from "#relay/core/services.ts";
import { wholeText } from "#relay/core/whole-text.ts";
import type { PlainCall } from "./plain-call.ts";

/** A call that is not chat, to a vendor that has another wire for it: our body becomes its, its answer ours. */
export type Adapted =
  | { response: UpstreamResponse; whole: AdaptedAnswer | undefined }
  | { error: UpstreamError };

const MAX_ERROR_BYTES = 256 * 1024;
const MAX_BODY_BYTES = 128 * 1024 * 1024;

/** `whole` is undefined when the answer passes as it came. Throws what `send` throws, and the adapter's refusal. */
export async function askAdapted(
  services: Pick<RelayServices, "settings" | "upstream">,
  call: Pick<PlainCall, "bodyFor" | "signal" | "memory">,
  chosen: Pick<Chosen, "channel" | "key" | "upstreamModel">,
  adapter: Adapter,
  progress?: RequestProgress & { signal: AbortSignal },
): Promise<Adapted> {
  const { channel, upstreamModel: model } = chosen;
  const given = call.bodyFor(model);
  const body =
    (typeof given === "string" || Buffer.isBuffer(given) ? parseRecord(String(given)) : undefined) ?? {};
  const asked = adapter.request(body, shapeOf(channel, { model }));
  const response = await send(services, chosen, {
    method: "POST",
    path: asked.path,
    ownPath: true,
    model,
    headers: { accept: "*/*", ...asked.headers },
    body: asked.body,
    signal: progress?.signal ?? call.signal,
    progress,
  });
  if (response.status < 200 || response.status >= 300) {
    const text = await response.text(MAX_ERROR_BYTES).catch(() => "");
    const error = dialects["openai-chat"].decodeError(response.status, text, response.headers);
    return { error: refusal(channel.provider, error, response.headers) };
  }
  if (adapter.answer === undefined) return { response, whole: undefined };
  const whole = adapter.answer(await wholeText(response, MAX_BODY_BYTES, call.memory), now());
  return "error" in whole ? { error: refusal(channel.provider, whole.error) } : { response, whole };
}
