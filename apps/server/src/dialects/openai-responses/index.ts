import type { Dialect } from "#dialects/dialect.ts";
import { decodeError, encodeError } from "#dialects/openai-chat/error.ts";
import { decodeStream } from "./decode-stream.ts";
import { encodeStream } from "./encode-stream.ts";
import { encodeStreamError } from "./error.ts";
import { decodeRequest, encodeRequest } from "./request.ts";
import { decodeResponse, encodeResponse } from "./response.ts";
import { isLast, scanResponse, skim, skimResponse } from "./skim.ts";

/** OpenAI's Responses API. Before the first byte, errors have the form of chat completions. */
export const openaiResponses: Dialect = {
  id: "openai-responses",
  decodeRequest,
  encodeResponse,
  encodeStream,
  encodeError,
  encodeStreamError,
  heartbeat: ": heartbeat\n\n",
  path: () => "/v1/responses",
  count: {
    countPath: "/input_tokens",
    path: () => "/v1/responses/input_tokens",
    encode: (tokens) => ({ object: "response.input_tokens", input_tokens: tokens }),
  },
  encodeRequest,
  takesAddress: (part) => part.type !== "audio",
  decodeResponse,
  decodeStream,
  decodeError,
  skimResponse,
  scanResponse,
  skim,
  isLast,
  adjust: (body, model) => (body["model"] === model ? body : { ...body, model }),
};
