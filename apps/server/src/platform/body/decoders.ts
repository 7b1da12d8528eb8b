import {
  constants,
  createBrotliDecompress,
  createGunzip,
  createInflate,
  createInflateRaw,
  createZstdDecompress,
} from "node:zlib";
import { lookupTable } from "@gateway/shared/lookup-table";

/** Decoders of the codings of HTTP bodies, for requests (compressed-body.ts) and responses (content-coding.ts). */
export type Decoder = ReturnType<
  typeof createGunzip | typeof createBrotliDecompress | typeof createZstdDecompress | typeof createInflateRaw
>;

export interface DecoderOptions {
  /** Data that arrived counts even if the last bytes are missing. */
  isLenient: boolean;
}

/** Maximum window of 8 MB that a sender may require (RFC 9659). */
const zstd = { params: { [constants.ZSTD_d_windowLogMax]: 23 } };
const lenient = {
  zlib: { finishFlush: constants.Z_SYNC_FLUSH },
  brotli: { finishFlush: constants.BROTLI_OPERATION_FLUSH },
  zstd: { ...zstd, finishFlush: constants.ZSTD_e_flush },
};
const strict = { zlib: {}, brotli: {}, zstd };

/** Senders of "deflate" omit its zlib header, or not: the first byte of the body decides. */
const decoders = lookupTable<(options: typeof strict | typeof lenient, first: number) => Decoder>({
  gzip: (options) => createGunzip(options.zlib),
  "x-gzip": (options) => createGunzip(options.zlib),
  deflate: (options, first) =>
    (first & 0x0f) === 8 ? createInflate(options.zlib) : createInflateRaw(options.zlib),
  br: (options) => createBrotliDecompress(options.brotli),
  zstd: (options) => createZstdDecompress(options.zstd),
});

/** Names of the codings, for `Accept-Encoding`. */
export const codingNames = Object.keys(decoders).join(", ");

/**
 * Returns what opens a decoder for the first byte of a body; undefined for an unknown coding.
 * @param coding value of `Content-Encoding`
 */
export function decoderOf(
  coding: string,
  { isLenient }: DecoderOptions,
): ((first: number) => Decoder) | undefined {
  const open = decoders[coding.trim().toLowerCase()];
  return open && ((first) => open(isLenient ? lenient : strict, first));
}

/** Whether the decoder of a coding depends on the first byte. */
export function needsFirstByte(coding: string): boolean {
  return coding.trim().toLowerCase() === "deflate";
}
