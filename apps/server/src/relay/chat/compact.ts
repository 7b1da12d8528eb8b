import type { Wire } from "#dialects/dialect.ts";
import { dialects } from "#dialects/index.ts";
import type { UpstreamError } from "#dialects/ir.ts";
import { parseRecord } from "#dialects/wire.ts";
import { now } from "#platform/clock.ts";
import { refusal } from "#providers/refusal.ts";
import type { Answer, Call, Chosen } from "#relay/core/call.ts";
import { answerHeaders, relay } from "#relay/core/exchange.ts";
import type { Flight } from "#relay/core/flight.ts";
import { send } from "#relay/core/send.ts";
import type { RelayServices } from "#relay/core/services.ts";
import { transportFailure } from "#relay/core/upstream-error.ts";
import { wholeText } from "#relay/core/whole-text.ts";

/** A long conversation made short by its vendor. What comes back only that vendor can read, so it passes untouched. */
export interface CompactCall extends Call {
  body: Wire;
  forward: Record<string, string>;
}

const PATH = "/v1/responses/compact";
const MAX_ERROR_BYTES = 256 * 1024;
const MAX_BODY_BYTES = 64 * 1024 * 1024;

export function relayCompact(services: RelayServices, call: CompactCall): Promise<Answer> {
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
  call: CompactCall,
  chosen: Chosen,
  flight: Flight,
  begun: number,
): Promise<Answer | { error: UpstreamError }> {
  const { decodeError, skimResponse, adjust } = dialects["openai-responses"];
  const response = await send(services, chosen, {
    method: "POST",
    path: PATH,
    model: chosen.upstreamModel,
    dialect: "openai-responses",
    headers: { "content-type": "application/json", accept: "application/json", ...call.forward },
    body: JSON.stringify(adjust(call.body, chosen.upstreamModel)),
    signal: flight.upstream.signal,
    progress: flight.upstream,
  });
  if (response.status < 200 || response.status >= 300) {
    const text = await response.text(MAX_ERROR_BYTES).catch(() => "");
    const error = decodeError(response.status, text, response.headers);
    return { error: refusal(chosen.channel.provider, error, response.headers) };
  }
  const body = await wholeText(response, MAX_BODY_BYTES, call.memory);
  if (!Array.isArray(parseRecord(body)?.["output"]))
    return { error: { kind: "server", message: "The upstream's answer could not be read.", status: 200 } };
  const { usage, tally } = skimResponse(body);
  flight.chosen = chosen;
  flight.firstByteAt ??= now();
  flight.noteAttempt(chosen, begun, undefined);
  await flight.settle({ outcome: "complete", vendor: usage, delivered: tally });
  return { kind: "body", headers: answerHeaders(response.headers, call.dropped ?? []), body };
}
