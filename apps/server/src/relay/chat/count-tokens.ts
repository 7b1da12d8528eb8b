import type { Dialect, Wire } from "#dialects/dialect.ts";
import { dialects } from "#dialects/index.ts";
import type { ChatRequest } from "#dialects/ir.ts";
import { parseRecord } from "#dialects/wire.ts";
import { estimateUsage } from "#domain/pricing/estimate.ts";
import { dialectsFor } from "#providers/provider.ts";
import type { Target } from "#relay/core/ask.ts";
import type { Call } from "#relay/core/call.ts";
import { answerHeaders, relay } from "#relay/core/exchange.ts";
import { shapeOf } from "#relay/core/send.ts";
import type { RelayServices } from "#relay/core/services.ts";

/** How many tokens a request has: asked of a provider that speaks the client's dialect, else counted by us. Free. */
export interface CountCall extends Call {
  client: Dialect;
  body: Wire;
  raw: Buffer;
  request: ChatRequest;
  /** What came before is in `request` only: no provider can be asked with the body. */
  rewritten?: boolean;
  forward: Record<string, string>;
}

/** Says in an answer's headers that a number is ours, not the provider's. */
const OURS = { "x-gateway-estimated": "tokens" };
const TIMEOUT_MS = 20_000;
const MAX_BYTES = 64 * 1024;

export interface TokenCount {
  headers: Record<string, string>;
  /** In the client's dialect. */
  body: string;
}

/** Throws as `makePlan` does: the model must be one that this caller could use. */
export function countTokens(services: RelayServices, requested: CountCall): Promise<TokenCount> {
  const call: CountCall = { ...requested, books: "none" };
  return relay<TokenCount>(services, call, {
    suits: (target) => pathAt(call, target) !== undefined,
    encode: (target) => ({
      request: {
        method: "POST",
        path: pathAt(call, target) ?? "",
        model: target.upstreamModel,
        dialect: call.client.id,
        headers: { "content-type": "application/json", accept: "application/json", ...call.forward },
        body: bodyFor(call, target),
        timeoutMs: TIMEOUT_MS,
      },
      decodeError: dialects[call.client.id].decodeError,
    }),
    async read(response, _sent, { lifecycle, accept }) {
      const body = await response.text(MAX_BYTES);
      if (parseRecord(body) === undefined)
        return { error: { kind: "server", message: "The count could not be read.", status: 200 } };
      accept();
      await lifecycle.pass({ outcome: "complete", status: 200 });
      return { headers: answerHeaders(response.headers, []), body };
    },
    // A provider that cannot count now leaves it to us.
    otherwise: () => ({
      headers: OURS,
      body: JSON.stringify(
        call.client.count?.encode(estimateUsage(call.request, { maxOutputTokens: 1 }).input) ?? {},
      ),
    }),
  });
}

/** Undefined where this target cannot count. */
function pathAt({ client, rewritten }: CountCall, { channel, upstreamModel }: Target): string | undefined {
  const { count, id } = client;
  if (count === undefined || rewritten === true) return undefined;
  const path = count.path(upstreamModel);
  const { provider, plugin } = channel;
  const spoken = dialectsFor(provider, shapeOf(channel, { model: upstreamModel }));
  return spoken.includes(id) && provider.offers?.(path, plugin) !== false ? path : undefined;
}

function bodyFor({ body, raw, request }: CountCall, { upstreamModel: model }: Target): Buffer | string {
  if (request.model === model) return raw;
  return JSON.stringify(body["model"] === undefined ? body : { ...body, model });
}
