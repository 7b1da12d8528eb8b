import type { ClientDialect } from "#dialects/dialect.ts";
import { encodeError } from "#dialects/gemini/error.ts";
import { encodeStream } from "./encode-stream.ts";
import { encodeStreamError } from "./error.ts";
import { fieldName } from "./field-names.ts";
import { decodeRequest } from "./request.ts";
import { encodeResponse } from "./response.ts";

/**
 * Google's Interactions API, for clients only: Google's channels are called with generateContent. What only Google has is
 * therefore decoded to fields of that API. https://ai.google.dev/api/interactions-api, and `@google/genai` 3.3.0.
 */
export const interactions: ClientDialect = {
  id: "interactions",
  decodeRequest,
  encodeResponse,
  encodeStream,
  encodeError,
  encodeStreamError,
  heartbeat: ": heartbeat\n\n",
  fieldName,
};
