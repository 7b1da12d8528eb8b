import type { Dialect, Wire } from "#dialects/dialect.ts";
import { dialects } from "#dialects/index.ts";
import type { ChatRequest } from "#dialects/ir.ts";
import { withoutNegativeCounts } from "#dialects/usage/negative-counts.ts";
import { parseRecord } from "#dialects/wire.ts";
import { estimateUsage } from "#domain/pricing/estimate.ts";
import { betasIn, selectForwardedHeaders } from "#providers/models/messages-hosts.ts";
import { dialectsFor } from "#providers/provider.ts";
import type { ReceivedCall } from "#relay/core/call.ts";
import { relayFree } from "#relay/core/exchange.ts";
import { selectResponseHeaders } from "#relay/core/response/response-headers.ts";
import { unreadableError } from "#relay/core/response/whole-text.ts";
import type { RelayServices } from "#relay/core/services.ts";
import type { Target } from "#relay/core/upstream/ask.ts";
import { shapeOf } from "#relay/core/upstream/send.ts";
import { withoutAttribution } from "./attribution.ts";
import { fitRequest } from "./fit-request.ts";

/** A call to count a request's tokens: by a provider that speaks the client's dialect, else by us. Free. */
export interface CountCall extends ReceivedCall {
  readonly client: Dialect;
  readonly body: Wire;
  readonly raw: Buffer;
  readonly request: ChatRequest;
  /** Earlier messages are in `request` only, so the body cannot be sent to a provider. */
  readonly rewritten?: boolean;
  readonly forward?: Record<string, string> | undefined;
}

/** Response header that marks a number as our estimate. */
const OURS = { "x-gateway-estimated": "tokens" };
const TIMEOUT_MS = 20_000;
const MAX_BYTES = 64 * 1024;

export interface TokenCountResponse {
  headers: Record<string, string>;
  /** Response in the client's dialect. */
  body: string;
}

/** Counts tokens. Throws as `planCall` does: the caller must be allowed to use the model. */
export function countTokens(services: RelayServices, call: CountCall): Promise<TokenCountResponse> {
  return relayFree<TokenCountResponse, CountCall>(services, call, {
    suits: (target) => pathAt(call, target) !== undefined,
    encode: ({ target }) => ({
      request: {
        method: "POST",
        path: pathAt(call, target) ?? "",
        model: target.upstreamModel,
        dialect: call.client.id,
        headers: {
          "content-type": "application/json",
          accept: "application/json",
          ...headersFor(target, call),
        },
        body: bodyFor(call, target),
        timeoutMs: TIMEOUT_MS,
      },
      decodeError: dialects[call.client.id].decodeError,
    }),
    async read(response) {
      const body = await response.text(MAX_BYTES);
      if (parseRecord(body) === undefined) return { error: unreadableError(response.status) };
      return { headers: selectResponseHeaders(response.headers, []), body: withoutNegativeCounts(body) };
    },
    // If no provider can count now, we estimate.
    otherwise: () => ({
      headers: OURS,
      body: JSON.stringify(
        call.client.count?.encode(estimateUsage(call.request, { maxOutputTokens: 1 }).input) ?? {},
      ),
    }),
  });
}

/** Returns the provider's path for counting; undefined where this target cannot count. */
function pathAt(call: CountCall, { channel, upstreamModel }: Target): string | undefined {
  const { client, rewritten } = call;
  const { count, id } = client;
  if (count === undefined || rewritten === true) return undefined;
  // A conversation that must be changed for this provider is counted by us.
  if (fitRequest(call, channel, client, upstreamModel) !== call.request) return undefined;
  const path = count.path(upstreamModel);
  const { provider, plugin } = channel;
  const spoken = dialectsFor(provider, shapeOf(channel, { model: upstreamModel }));
  const counts = provider.countsTokens?.(path) !== false && provider.offers?.(path, plugin) !== false;
  return spoken.includes(id) && counts ? path : undefined;
}

function headersFor({ channel }: Pick<Target, "channel">, { forward }: CountCall): Record<string, string> {
  return forward === undefined ? {} : selectForwardedHeaders(channel.provider, forward);
}

function bodyFor(call: CountCall, { channel, upstreamModel: model }: Target) {
  const { client, raw } = call;
  const { provider } = channel;
  const { body } = client.id === "anthropic" ? withoutAttribution(call, channel) : call;
  const named = body["model"] === undefined || body["model"] === model ? body : { ...body, model };
  const betas = betasIn(headersFor({ channel }, call));
  const shape = shapeOf(channel, { model, dialect: client.id, betas });
  const adjusted = provider.adjustRequest?.(named, shape) ?? named;
  return adjusted === call.body ? raw : JSON.stringify(adjusted);
}
