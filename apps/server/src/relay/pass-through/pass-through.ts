import { reasonOf } from "@gateway/shared/reasons";
import { dialects } from "#dialects/index.ts";
import type { UpstreamError } from "#dialects/ir.ts";
import { invalidRequest, providerError } from "#errors.ts";
import { decompressResponse } from "#platform/body/content-coding.ts";
import type { StreamedBody, UpstreamResponse } from "#platform/http/exchange.ts";
import { TransportError } from "#platform/http/transport-error.ts";
import type { Outgoing } from "#providers/provider.ts";
import type { CallBill } from "#relay/core/billing/call-bill.ts";
import type { Answer, PassThroughEnd, Pieces, PricedTarget, ReceivedCall } from "#relay/core/call.ts";
import { relay } from "#relay/core/exchange.ts";
import { startPieces } from "#relay/core/response/pieces.ts";
import { selectResponseHeaders } from "#relay/core/response/response-headers.ts";
import { namedChannel } from "#relay/core/routing/plan.ts";
import { explain } from "#relay/core/routing/retry.ts";
import type { RelayServices } from "#relay/core/services.ts";
import { errorText } from "#relay/core/upstream/ask.ts";
import { forClients } from "#relay/core/upstream/scrub.ts";

/** A pass-through call about data of a provider's account. Its body is not read, and it is free. */
export interface PassedCall extends ReceivedCall {
  readonly method: Outgoing["method"];
  /** The channel that the caller pinned. */
  readonly channelId: number;
  /** OpenAI's path. */
  readonly path: string;
  readonly query: string;
  /** Client headers that the provider may see. */
  readonly forward: Record<string, string>;
  readonly body: StreamedBody | null;
}

/**
 * Relays a call about data that a provider keeps for one account (files, batches, assistants). Only the
 * pinned channel can serve it, so nothing is chosen, retried or priced. Bytes pass unread in both directions.
 * The result never affects the channel's health: a key may lack access to files and work for every model.
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
    async read(response, _sent, routed, bill) {
      const { status } = response;
      const error = status < 400 ? undefined : refusedBy(response);
      bill.accept(routed, error);
      if (error === undefined)
        return bytes(status, response.headers, await startPieces(pass(call, bill, response)));
      // The client gets the provider's own error. The log, which others may read, contains only the kind of
      // error.
      const read = decompressResponse(response);
      // Read before the call is closed, because closing cancels running requests.
      const text = await errorText(read);
      await bill.fail(providerError(explain(error, "").code, error.message, { status }));
      const { "content-length": _length, ...headers } = read.headers;
      return bytes(status, headers, refusalOf(text, routed.target));
    },
  });
}

function targetOf(
  services: RelayServices,
  { channelId, needs }: PassedCall,
): Pick<PricedTarget, "channel" | "key"> {
  const channel = namedChannel(services, channelId);
  if (!channel.provider.endpoints.includes(needs))
    throw invalidRequest({ reason: "no_pass_through", channel: channelId, provider: channel.provider.label });
  // Data of one key's account may be unknown to another, so always use the same key.
  return { channel, key: channel.keys[0] };
}

function bytes(status: number, headers: UpstreamResponse["headers"], chunks: Pieces<Buffer>): Answer {
  return {
    kind: "bytes",
    status,
    headers: { ...selectHeaders(headers), ...selectResponseHeaders(headers, []) },
    chunks,
  };
}

/** Yields the provider's error without the channel's secrets that it quotes. */
async function* refusalOf(text: string, target: PricedTarget): Pieces<Buffer> {
  yield Buffer.from(forClients(text, target));
}

function refusedBy({ status, headers }: UpstreamResponse): UpstreamError {
  const { kind } = dialects["openai-chat"].decodeError(status, "", headers);
  const message = `The provider returned status ${status}.`;
  // The missing object is not a model.
  return { kind: kind === "not-found" ? "bad-request" : kind, message, status };
}

/** Passes everything on as it arrives. Nothing is charged, so nothing waits for a bill. */
async function* pass(call: PassedCall, bill: CallBill, response: UpstreamResponse): Pieces<Buffer> {
  let outcome: PassThroughEnd["outcome"] = "client-left";
  try {
    yield NOTHING;
    yield* response.chunks();
    outcome = "complete";
  } catch (error) {
    if (!(error instanceof TransportError)) bill.report(error);
    if (bill.connection.gone() === undefined) outcome = "upstream-died";
    throw error;
  } finally {
    await bill.pass({
      outcome,
      status: response.status,
      content: reasonOf("passedOn", { path: call.path }),
    });
  }
}

const NOTHING = Buffer.alloc(0);

/** Headers not passed on: hop-by-hop, about the provider's own host, or set by us. */
const kept =
  /^(?:connection|keep-alive|proxy-.*|te|trailer|transfer-encoding|upgrade|set-cookie2?|alt-svc|strict-transport-security|access-control-.*|x-ratelimit-.*|x-request-id|x-oneapi-request-id)$/;

function selectHeaders(headers: UpstreamResponse["headers"]): Record<string, string> {
  const named = [headers["connection"] ?? []]
    .flat()
    .flatMap((names) => names.toLowerCase().split(","))
    .map((name) => name.trim());
  const through: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers))
    if (value !== undefined && !kept.test(name) && !named.includes(name))
      through[name] = Array.isArray(value) ? value.join(", ") : value;
  return through;
}
