import type { Bytes } from "#dialects/addressed.ts";
import type { Dialect, Wire } from "#dialects/dialect.ts";
import type { ChatRequest } from "#dialects/ir.ts";
import type { Call, Chosen } from "#relay/core/call.ts";

/** A chat call, decoded. */
export interface ChatCall extends Call {
  client: Dialect;
  /** The body as parsed, and as it came: the same call in three forms, so that nothing is parsed twice. */
  body: Wire;
  raw: Buffer;
  request: ChatRequest;
  /** Headers of the client that an upstream of the same dialect understands. */
  forward: Record<string, string>;
  /** `request` says more than the body: the body must not pass in its place. */
  rewritten?: boolean;
  /** Tokens of the conversation that it continues and that its provider keeps; none = unknown. */
  earlierTokens?: number;
  /** What stands at addresses in the request, for providers that want the bytes. */
  fetched?: ReadonlyMap<string, Bytes>;
  /** The provider is to answer at once and go on working: such an answer is asked for later. */
  background?: boolean;
  /** It adds to a conversation: the same request is another one the next time. */
  stateful?: boolean;
  /** Called after the bill, before the answer's end leaves, with that end as the client will read it. */
  finished?(end: string, chosen: Chosen): Promise<void>;
}
