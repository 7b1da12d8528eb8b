import type { Dialect } from "#dialects/dialect.ts";
import { decodeStream } from "./decode-stream.ts";
import { takesAddress } from "./encode-messages.ts";
import { encodeStream } from "./encode-stream.ts";
import { decodeError, encodeError, encodeStreamError } from "./error.ts";
import { decodeRequest, encodeRequest } from "./request.ts";
import { decodeResponse, encodeResponse } from "./response.ts";
import { isLast, scanResponse, skim, skimResponse } from "./skim.ts";

/** Claude's Messages API. It must not depend on the client or provider on the other side. */
export const anthropic: Dialect = {
  id: "anthropic",
  decodeRequest,
  encodeResponse,
  encodeStream,
  encodeError,
  encodeStreamError,
  heartbeat: 'event: ping\ndata: {"type":"ping"}\n\n',
  path: () => "/v1/messages",
  count: {
    countPath: "/count_tokens",
    path: () => "/v1/messages/count_tokens",
    encode: (tokens) => ({ input_tokens: tokens }),
  },
  encodeRequest,
  takesAddress,
  decodeResponse,
  decodeStream,
  decodeError,
  skimResponse,
  scanResponse,
  skim,
  isLast,
  adjust: (body, model) => (body["model"] === model ? body : { ...body, model }),
};
