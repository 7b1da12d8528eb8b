import type { Dialect, Wire } from "#dialects/dialect.ts";
import { asRecord } from "#dialects/wire.ts";
import { decodeStream } from "./decode-stream.ts";
import { encodeStream } from "./encode-stream.ts";
import { decodeError, encodeError, encodeStreamError } from "./error.ts";
import { repairChat } from "./repair.ts";
import { decodeRequest, encodeRequest } from "./request.ts";
import { decodeResponse, encodeResponse } from "./response.ts";
import { dropFrame, isLast, scanResponse, skim, skimResponse, withoutUsage } from "./skim.ts";

/**
 * Sets the model, and always requests the usage chunk, which billing needs. `dropFrame` removes it for
 * clients that did not request it.
 */
function adjust(body: Wire, model: string): Wire {
  const named = body["model"] === model ? body : { ...body, model };
  const options = asRecord(body["stream_options"]);
  if (body["stream"] !== true || options?.["include_usage"] === true) return named;
  return { ...named, stream_options: { ...options, include_usage: true } };
}

/**
 * OpenAI's chat completions, the API that most providers offer.
 * It must not depend on the client or provider on the other side.
 */
export const openaiChat: Dialect = {
  id: "openai-chat",
  decodeRequest,
  encodeResponse,
  encodeStream,
  encodeError,
  encodeStreamError,
  heartbeat: ": heartbeat\n\n",
  path: () => "/v1/chat/completions",
  encodeRequest,
  takesAddress: (part) => part.type === "image",
  decodeResponse,
  decodeStream,
  decodeError,
  skimResponse,
  scanResponse,
  skim,
  repair: repairChat,
  isLast,
  dropFrame,
  trimFrame: withoutUsage,
  adjust,
};
