import { reasonOf } from "@gateway/shared/reasons";
import { dialects } from "#dialects/index.ts";
import type { UpstreamError } from "#dialects/ir.ts";
import { invalidRequest, providerError } from "#errors.ts";
import { decompressed } from "#platform/content-coding.ts";
import { type StreamedBody, TransportError, type UpstreamResponse } from "#platform/http.ts";
import type { Outgoing } from "#providers/provider.ts";
import { errorText } from "#relay/core/ask.ts";
import type { Answer, Call, Chosen, Pieces } from "#relay/core/call.ts";
import { answerHeaders, relay } from "#relay/core/exchange.ts";
import type { CallLifecycle, Passed } from "#relay/core/lifecycle.ts";
import { primed } from "#relay/core/pieces.ts";
import { namedChannel } from "#relay/core/plan.ts";
import { explain } from "#relay/core/retry.ts";
import { forClients } from "#relay/core/scrub.ts";
import type { RelayServices } from "#relay/core/services.ts";

/** A call that a provider answers for its own account: no one reads it on the way, and no one pays for it here. */
export interface PassedCall extends Call {
  method: Outgoing["method"];
  /** The channel that the caller named. */
  channelId: number;
  /** OpenAI's path, and its query with the `?`. */
  path: string;
  query: string;
  /** Those of the client that its provider may see. */
  forward: Record<string, string>;
  body: StreamedBody | null;
}

/**
 * What a provider keeps for one account (files, batches, assistants): only the channel that the caller names can answer
 * for it, so nothing is chosen, tried again or priced. Bytes pass both ways unread. It must never speak for or against
 * a channel: a key may be forbidden files and be good for every model.
 */
export function passThrough(services: RelayServices, requested: PassedCall): Promise<Answer> {
  const call: PassedCall = { ...requested, books: "log" };
  return relay<Answer>(services, call, {
    target: () => targetOf(services, call),
    encode: () => ({
      request: {
        method: call.method,
        path: call.path + call.query,
        headers: call.forward,
        body: call.body,
        asCompressed: true,
      },
      decodeError: undefined,
    }),
    async read(response, _sent, { chosen, lifecycle, accept }) {
      const { status } = response;
      const error = status < 400 ? undefined : refusedBy(response);
      accept(error);
      if (error === undefined)
        return bytes(status, response.headers, await primed(pass(call, lifecycle, response)));
      // The client gets the provider's own words; the log, which others may read, only what kind of refusal it was.
      const read = decompressed(response);
      // Read before the call is closed, which cancels what is still under way.
      const text = await errorText(read);
      await lifecycle.fail(providerError(explain(error, "").code, error.message, { status }));
      const { "content-length": _length, ...headers } = read.headers;
      return bytes(status, headers, refusalOf(text, chosen));
    },
  });
}

function targetOf(
  services: RelayServices,
  { channelId, needs }: PassedCall,
): Pick<Chosen, "channel" | "key"> {
  const channel = namedChannel(services, channelId);
  if (!channel.provider.endpoints.includes(needs))
    throw invalidRequest({ reason: "no_pass_through", channel: channelId, provider: channel.provider.label });
  // What was given to one key's account, another's may not know: it is always the same.
  return { channel, key: channel.keys[0] };
}

function bytes(status: number, headers: UpstreamResponse["headers"], chunks: Pieces<Buffer>): Answer {
  return { kind: "bytes", status, headers: { ...passed(headers), ...answerHeaders(headers, []) }, chunks };
}

/** The provider's own words, without what they quote of the channel. */
async function* refusalOf(text: string, chosen: Chosen): Pieces<Buffer> {
  yield Buffer.from(forClients(text, chosen));
}

function refusedBy({ status, headers }: UpstreamResponse): UpstreamError {
  const { kind } = dialects["openai-chat"].decodeError(status, "", headers);
  const message = `The upstream answered with status ${status}.`;
  // What is not found here is no model.
  return { kind: kind === "not-found" ? "bad-request" : kind, message, status };
}

/** Everything as it comes. Nothing is charged, so nothing has to wait for a bill. */
async function* pass(call: PassedCall, lifecycle: CallLifecycle, response: UpstreamResponse): Pieces<Buffer> {
  let outcome: Passed["outcome"] = "client-left";
  try {
    yield NOTHING;
    yield* response.chunks();
    outcome = "complete";
  } catch (error) {
    if (!(error instanceof TransportError)) lifecycle.defect(error);
    if (lifecycle.gone() === undefined) outcome = "upstream-died";
    throw error;
  } finally {
    await lifecycle.pass({
      outcome,
      status: response.status,
      content: reasonOf("passedOn", { path: call.path }),
    });
  }
}

const NOTHING = Buffer.alloc(0);

/** Between two neighbours only, about the provider's own host, or said by us already. */
const kept =
  /^(?:connection|keep-alive|proxy-.*|te|trailer|transfer-encoding|upgrade|set-cookie2?|alt-svc|strict-transport-security|access-control-.*|x-ratelimit-.*|x-request-id|x-oneapi-request-id)$/;

function passed(headers: UpstreamResponse["headers"]): Record<string, string> {
  const named = [headers["connection"] ?? []].flat().flatMap((names) => names.toLowerCase().split(/\s*,\s*/));
  const through: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers))
    if (value !== undefined && !kept.test(name) && !named.includes(name))
      through[name] = Array.isArray(value) ? value.join(", ") : value;
  return through;
}
