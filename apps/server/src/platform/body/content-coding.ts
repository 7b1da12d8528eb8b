/**
 * Decompresses responses of providers that compress although no one requested it. Works piece by piece, so
 * that events pass as they arrive, and never ahead of the reader. It must not know what the texts contain. Bodies of
 * requests have limits: compressed-body.ts. As in every client, data that arrived counts even if the last bytes of the
 * response are missing.
 */
import { pipeline, Readable } from "node:stream";
import type { UpstreamResponse } from "#platform/http/exchange.ts";
import { bodyOf } from "#platform/http/response-body.ts";
import { tooLarge, TransportError } from "#platform/http/transport-error.ts";
import { type Decoder, decoderOf } from "./decoders.ts";

/**
 * Returns the same response unless it is compressed with a known coding.
 * @param maxBytes a longer body fails with TransportError; the limit of the request counts compressed bytes
 */
export function decompressResponse(response: UpstreamResponse, maxBytes?: number): UpstreamResponse {
  const coding = response.headers["content-encoding"];
  if (coding === undefined) return response;
  const open = decoderOf(String(coding), { isLenient: true });
  if (open === undefined) return response;
  const { "content-encoding": _coding, "content-length": _length, ...headers } = response.headers;
  return { ...response, headers, ...bodyOf(() => decompress(response, open, maxBytes)) };
}

async function* decompress(
  response: UpstreamResponse,
  open: (first: number) => Decoder,
  maxBytes = Infinity,
): AsyncGenerator<Buffer, void, undefined> {
  const source = response.chunks();
  let failure: unknown;
  let bytes = 0;
  try {
    const first = await source.next();
    if (first.done) return;
    const decoder = open(first.value[0] ?? 0);
    async function* feedDecoder(start: Buffer): AsyncGenerator<Buffer, void, undefined> {
      yield start;
      try {
        yield* source;
      } catch (error) {
        // Thrown after everything that arrived before it has been delivered.
        failure = error;
      }
    }
    pipeline(Readable.from(feedDecoder(first.value), { objectMode: false }), decoder, () => {});
    try {
      for await (const piece of decoder as AsyncIterable<Buffer>) {
        bytes += piece.length;
        if (bytes > maxBytes) throw tooLarge(maxBytes);
        yield piece;
      }
    } catch (error) {
      if (error instanceof TransportError) throw error;
      throw new TransportError("network", "The upstream's answer is compressed and damaged.", error);
    }
    if (failure !== undefined) throw failure;
  } finally {
    response.cancel();
  }
}
