import type { ClientDialect, Wire } from "#dialects/dialect.ts";
import type { ChatRequest } from "#dialects/ir.ts";
import type { InlineMedia } from "#dialects/media/addressed.ts";
import type { ReceivedCall, PricedTarget } from "#relay/core/call.ts";
import type { ContinuedResponse, ResponseSockets } from "#relay/core/upstream/response-sockets.ts";

/** A decoded chat call. */
export interface ChatCall extends ReceivedCall {
  readonly client: ClientDialect;
  /** The parsed body and the raw one, beside the decoded `request`, so that nothing is parsed twice. */
  readonly body: Wire;
  readonly raw: Buffer;
  readonly request: ChatRequest;
  /** Client headers for an upstream of the same dialect; undefined without any. */
  readonly forward?: Record<string, string> | undefined;
  /** `request` contains more than the body, so the body must not be sent instead. */
  readonly rewritten?: boolean;
  /** Tokens of the continued conversation that its provider stores; undefined = unknown. */
  readonly earlierTokens?: number;
  /** Content of URLs in the request, for providers that need the bytes. */
  readonly fetched?: ReadonlyMap<string, InlineMedia>;
  /** WebSockets to providers, for a call that arrived over one. */
  readonly sockets?: ResponseSockets;
  /** The response on the same connection that the call continues. */
  readonly continued?: ContinuedResponse | undefined;
  /** The call adds to a conversation, so an identical request is a different call later. */
  readonly stateful?: boolean;
  /**
   * Called after the bill is closed and before the end of the response is sent, with that end as the client
   * receives it.
   */
  finished?(end: string, chosen: PricedTarget): Promise<void>;
}
