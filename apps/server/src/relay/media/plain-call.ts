import type { StreamedBody } from "#platform/http.ts";
import type { Call } from "#relay/core/call.ts";

/** A call whose one public wire is OpenAI's: embeddings, images, audio and the like pass as they came. */
export interface PlainCall extends Call {
  /** Path below the provider's address. */
  path: string;
  contentType: string;
  /** How long the recording in it is, as far as its file says; 0 or absent when there is none. */
  audioSeconds?: number;
  /** The answer as this client wants it spelled. */
  spell?: {
    /** Whether an answer with this beginning may pass as it is. */
    isRight(head: string): boolean;
    whole(answer: string): string;
  };
  /** The body for a provider that knows the model by this name. */
  bodyFor(model: string): Buffer | string | StreamedBody;
}
