import type { Wire } from "#dialects/dialect.ts";
import { dialects } from "#dialects/index.ts";
import { withoutNegativeCounts } from "#dialects/usage/negative-counts.ts";
import { parseRecord } from "#dialects/wire.ts";
import type { Answer, ReceivedCall } from "#relay/core/call.ts";
import { relay } from "#relay/core/exchange.ts";
import { selectResponseHeaders } from "#relay/core/response/response-headers.ts";
import { unreadableError, wholeText } from "#relay/core/response/whole-text.ts";
import type { RelayServices } from "#relay/core/services.ts";

/**
 * A call that compacts a conversation at its provider. Only that provider can read the result, so it passes
 * unchanged.
 */
export interface CompactCall extends ReceivedCall {
  readonly body: Wire;
  readonly forward: Record<string, string>;
}

const PATH = "/v1/responses/compact";
const MAX_BODY_BYTES = 64 * 1024 * 1024;
const { decodeError, skimResponse, adjust } = dialects["openai-responses"];

export function relayCompact(services: RelayServices, call: CompactCall): Promise<Answer> {
  return relay<Answer>(services, call, {
    encode: ({ target: { upstreamModel: model } }) => ({
      request: {
        method: "POST",
        path: PATH,
        model,
        dialect: "openai-responses",
        headers: { "content-type": "application/json", accept: "application/json", ...call.forward },
        body: JSON.stringify(adjust(call.body, model)),
      },
      decodeError,
    }),
    async read(response, _sent, routed, bill) {
      const body = await wholeText(response, MAX_BODY_BYTES, call.memory);
      if (!Array.isArray(parseRecord(body)?.["output"])) return { error: unreadableError(response.status) };
      const { usage, tally } = skimResponse(body);
      bill.accept(routed);
      await bill.settle({ routed, outcome: "complete", reported: usage, delivered: tally });
      const headers = selectResponseHeaders(response.headers, call.dropped ?? []);
      return { kind: "body", headers, body: withoutNegativeCounts(body) };
    },
  });
}
