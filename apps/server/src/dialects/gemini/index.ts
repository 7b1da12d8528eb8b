import type { Dialect, Wire } from "#dialects/dialect.ts";
import { isGoogleFile } from "#dialects/media/uploaded-file.ts";
import { openArray } from "./array-stream.ts";
import { decodeStream } from "./decode-stream.ts";
import { encodeStream } from "./encode-stream.ts";
import { decodeError, encodeError, encodeStreamError } from "./error.ts";
import { modelSegment } from "./model-segment.ts";
import { withoutRepeatedResults } from "./repeated-results.ts";
import { decodeRequest, encodeRequest } from "./request.ts";
import { decodeResponse, encodeResponse } from "./response.ts";
import { isLast, scanResponse, skim, skimResponse } from "./skim.ts";

/** Sets the model. It is in the URL; a body that repeats it must contain the same name. */
function adjust(body: Wire, model: string): Wire {
  const name = `models/${model}`;
  const whole = withoutRepeatedResults(body);
  return whole["model"] === undefined || whole["model"] === name ? whole : { ...whole, model: name };
}

/** Gemini's generateContent. It must not depend on the client or provider on the other side. */
export const gemini: Dialect = {
  id: "gemini",
  decodeRequest,
  encodeResponse,
  encodeStream,
  encodeError,
  encodeStreamError,
  heartbeat: ": heartbeat\n\n",
  path: ({ model, stream }) =>
    `/v1beta/models/${modelSegment(model)}:${stream ? "streamGenerateContent?alt=sse" : "generateContent"}`,
  count: {
    path: (model) => `/v1beta/models/${modelSegment(model)}:countTokens`,
    encode: (tokens) => ({ totalTokens: tokens }),
  },
  encodeRequest,
  takesAddress: (_part, url) => isGoogleFile(url),
  decodeResponse,
  decodeStream,
  openArray,
  decodeError,
  skimResponse,
  scanResponse,
  skim,
  isLast,
  adjust,
};
