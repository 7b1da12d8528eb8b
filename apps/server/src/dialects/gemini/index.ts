import type { Dialect, Wire } from "#dialects/dialect.ts";
import { openArray } from "./array-stream.ts";
import { decodeStream } from "./decode-stream.ts";
import { encodeStream } from "./encode-stream.ts";
import { decodeError, encodeError, encodeStreamError } from "./error.ts";
import { decodeRequest, encodeRequest } from "./request.ts";
import { decodeResponse, encodeResponse } from "./response.ts";
import { isLast, scanResponse, skim, skimResponse } from "./skim.ts";

/** The model stands in the address; only who repeats it in the body must have it right there too. */
function adjust(body: Wire, model: string): Wire {
  const name = `models/${model}`;
  return body["model"] === undefined || body["model"] === name ? body : { ...body, model: name };
}

/** Files that were given to the provider before, and films, which it reads where they are. */
const ownAddress =
  /^(?:gs:|https:\/\/generativelanguage\.googleapis\.com\/|https:\/\/(?:www\.)?youtube\.com\/|https:\/\/youtu\.be\/)/i;

/** One name, one segment: a slash in it must not lead to another address. Tuned models have a prefix of their own. */
function segment(model: string): string {
  return encodeURIComponent(model).replaceAll("%40", "@").replaceAll("%3A", ":");
}

/** Gemini's generateContent. It must never know who is on the other side. */
export const gemini: Dialect = {
  id: "gemini",
  decodeRequest,
  encodeResponse,
  encodeStream,
  encodeError,
  encodeStreamError,
  heartbeat: ": heartbeat\n\n",
  path: ({ model, stream }) =>
    `/v1beta/models/${segment(model)}:${stream ? "streamGenerateContent?alt=sse" : "generateContent"}`,
  count: {
    path: (model) => `/v1beta/models/${segment(model)}:countTokens`,
    encode: (tokens) => ({ totalTokens: tokens }),
  },
  encodeRequest,
  takesAddress: (_part, url) => ownAddress.test(url),
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
