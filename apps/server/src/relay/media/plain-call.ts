import type { StreamedBody } from "#platform/http/exchange.ts";
import type { ReceivedCall } from "#relay/core/call.ts";

/**
 * A call on OpenAI's wire, the only public one for it. Embeddings, images, audio and the like pass unchanged.
 */
export interface PlainCall extends ReceivedCall {
  /** Path below the provider's base URL. */
  readonly path: string;
  readonly contentType: string;
  /** Duration of the recording according to its file; 0 or absent when there is none. */
  readonly audioSeconds?: number;
  /** The format of the response that this client requested; undefined = as the provider sends it. */
  readonly responseFormat?: {
    /** Whether a response with this beginning has the format already. */
    matches(head: string): boolean;
    convert(answer: string): Promise<string>;
  };
  /** Returns the body for a provider that uses this model name. */
  bodyFor(model: string): Buffer | string | StreamedBody;
  /** Returns `bodyFor` with an output limit. Undefined where the format of the request has none. */
  limitedTo?(tokens: number): PlainCall["bodyFor"];
}
