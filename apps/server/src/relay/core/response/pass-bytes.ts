import type { ScannedAnswer, CharacterCount } from "#dialects/dialect.ts";
import type { Usage } from "#dialects/ir.ts";
import { createCountFilter } from "#dialects/usage/negative-counts.ts";
import { type GatewayError, upstreamFailed } from "#errors.ts";
import type { UpstreamResponse } from "#platform/http/exchange.ts";
import { TransportError } from "#platform/http/transport-error.ts";
import type { CallBill } from "#relay/core/billing/call-bill.ts";
import type { CallProgress, EndedCall, Pieces, RoutedCall } from "#relay/core/call.ts";
import { limitError } from "#relay/core/routing/excess.ts";
import { eventsForClients } from "#relay/core/upstream/scrub.ts";

/**
 * Reader of a response that passes as bytes while it arrives. The provider is slowed down to the client's
 * pace. The end of the response is kept back until the bill is closed; nothing else is kept.
 */
export interface AnswerReader {
  /** Returns how many trailing bytes must wait for the bill: the response is incomplete without them. */
  push(chunk: Buffer): number;
  readonly usage: Usage | undefined;
  readonly tally: CharacterCount;
  /** The response contains a failure reported by the provider. */
  readonly failed: boolean;
  /** The received bytes are a complete response, even if the connection broke afterwards. */
  readonly ended: boolean;
  /** The response reached its end and nothing is missing. */
  readonly isWhole: boolean;
  /** The response contains nothing that could be charged. */
  readonly isSilent: boolean;
  /** The response may contain the provider's usage. False for bytes that are not JSON or events. */
  readonly hasUsage: boolean;
}

/**
 * Bytes always kept back of a JSON response: lenient parsers could use most of a response without its end.
 */
const KEPT_BYTES = 4 * 1024;

/**
 * Reads a large JSON response that passes as bytes. Pure.
 * @param isStrict the response must be a JSON object with content; otherwise any complete response is
 * accepted
 */
export function createJsonReader(
  { scan, usage }: ScannedAnswer,
  { isStrict }: { isStrict: boolean },
): AnswerReader {
  let total = 0;
  const hasEnded = () => scan.endsAt !== undefined && scan.isObject;
  return {
    push(chunk) {
      scan.push(chunk);
      total += chunk.length;
      return KEPT_BYTES + (scan.endsAt === undefined ? 0 : total - scan.endsAt);
    },
    get usage() {
      return usage();
    },
    get tally() {
      return scan.tally;
    },
    failed: false,
    get ended() {
      return hasEnded();
    },
    get isWhole() {
      return !isStrict || hasEnded();
    },
    get isSilent() {
      const { narrow, wide } = scan.tally;
      return isStrict && narrow === 0 && wide === 0 && !scan.hasMedia && usage() === undefined;
    },
    hasUsage: true,
  };
}

export interface Passing {
  readonly routed: RoutedCall;
  readonly bill: CallBill;
  readonly response: UpstreamResponse;
  readonly reader: AnswerReader;
  readonly isEvents?: boolean;
  /** Returns an error as an event of the response. Undefined for a response that cannot contain one. */
  failure?(error: GatewayError): string;
  /** Our own count, for a provider that reports no usage. */
  counted?(delivered: CharacterCount): Usage | undefined;
  /** Returns what was delivered, where that is more than was requested. */
  delivered?(): Pick<EndedCall, "calls" | "estimate">;
}

const ERROR_NAME = Buffer.from('"error"');
/** Maximum bytes after the end of a response (white space, comments). The rest is not read. */
const MAX_AFTER_END = 1024 * 1024;

interface BufferedTail {
  /** Removes negative counts. */
  filter(chunk: Buffer): Buffer;
  /** Chunks that wait for the bill. */
  chunks: Buffer[];
  bytes: number;
  outcome: "complete" | "upstream-died" | undefined;
  /** Error that broke the connection. */
  broken?: unknown;
}

/** Passes the response on. Left at any `yield`, it closes the bill. The first `yield` is for `startPieces`. */
export async function* passBytes(passing: Passing): Pieces<Buffer> {
  const { bill, reader, response, routed } = passing;
  const chunks = response.chunks();
  const filter = reader.hasUsage ? createCountFilter() : (chunk: Buffer) => chunk;
  const kept: BufferedTail = { filter, chunks: [], bytes: 0, outcome: undefined };
  const settle = (outcome: EndedCall["outcome"], delivered = reader.tally, final = false) => {
    return bill.settle({
      routed,
      outcome,
      reported: reader.usage,
      final,
      delivered,
      errorCode: limitError(kept.broken)?.code,
      counted: passing.counted?.(delivered),
      ...passing.delivered?.(),
    });
  };
  let isLeft = true;
  try {
    yield NOTHING;
    yield* passPieces(passing, chunks, kept);
    isLeft = false;
  } finally {
    if (isLeft) {
      // Charge what was delivered when the client left, unless the provider's own count arrives.
      const delivered = { ...reader.tally };
      const isWhole = await readOn(passing, chunks);
      if (isWhole && reader.isSilent) await bill.fail(upstreamFailed({ reason: "upstream_empty" }));
      else await settle("client-left", delivered, isWhole).catch((error: unknown) => bill.report(error));
    }
  }
  const { outcome = "upstream-died" } = kept;
  if (outcome === "complete" && reader.isSilent) {
    const error = upstreamFailed({ reason: "upstream_empty" });
    await bill.fail(error);
    throw error;
  }
  const gone = outcome === "complete" ? undefined : bill.connection.gone();
  await settle(gone === undefined ? outcome : "client-left");
  // The client must notice a broken response: without its end, the connection is cut instead of closed.
  if (gone !== undefined) {
    if (passing.failure === undefined) throw gone;
    yield Buffer.from(passing.failure(gone));
    return;
  }
  if (outcome === "upstream-died" && !reader.failed)
    throw new TransportError("network", "The upstream broke off.");
  yield* kept.chunks;
}

const NOTHING = Buffer.alloc(0);

/** Yields what the provider sends, except the end. Never throws. */
async function* passPieces(passing: Passing, chunks: Pieces<Buffer>, kept: BufferedTail): Pieces<Buffer> {
  const { reader, response, bill } = passing;
  const inProgress = { progress: () => progressOf(passing) };
  while (true) {
    let wait: number;
    try {
      // Not `for await`: leaving it early would end the chunks and lose the upstream's usage.
      const next = await chunks.next();
      if (next.done === true) {
        kept.outcome = reader.isWhole ? "complete" : "upstream-died";
        return;
      }
      wait = take(passing, next.value, kept);
    } catch (error) {
      if (!(error instanceof TransportError)) bill.report(error);
      // Without a content-length, a response that broke after its end is complete.
      const isWhole = reader.ended && response.headers["content-length"] === undefined;
      kept.outcome = isWhole ? "complete" : "upstream-died";
      kept.broken = error;
      return;
    }
    while (kept.bytes > wait) {
      const [first] = kept.chunks;
      if (first === undefined) break;
      const free = Math.min(first.length, kept.bytes - wait);
      if (free === first.length) kept.chunks.shift();
      else kept.chunks[0] = first.subarray(free);
      kept.bytes -= free;
      yield first.subarray(0, free);
      bill.deliver(inProgress);
    }
    if (kept.bytes > MAX_AFTER_END) {
      response.cancel();
      kept.outcome = reader.isWhole ? "complete" : "upstream-died";
      return;
    }
  }
}

/** Adds a chunk to the kept ones. Returns how many bytes must stay. */
function take({ reader, routed, isEvents = false }: Passing, came: Buffer, kept: BufferedTail): number {
  const wait = reader.push(came);
  // An error event contains the provider's message. Nothing after it belongs to the response.
  const isQuoting = reader.failed || (isEvents && came.includes(ERROR_NAME));
  const chunk = kept.filter(isQuoting ? Buffer.from(eventsForClients(came.toString(), routed.target)) : came);
  kept.chunks.push(chunk);
  kept.bytes += chunk.length;
  if (chunk.length === came.length || wait === 0) return wait;
  // The length has changed, so the whole chunk waits.
  return Math.max(chunk.length, wait);
}

function progressOf({ reader, counted: count }: Passing): CallProgress | undefined {
  if (reader.isSilent) return undefined;
  return { reported: reader.usage, delivered: reader.tally, counted: count?.(reader.tally) };
}

/** Reads the rest for its usage. Returns whether the response was complete. */
async function readOn({ bill, reader }: Passing, chunks: Pieces<Buffer>): Promise<boolean> {
  bill.stopDelivery();
  bill.connection.leave();
  try {
    for await (const chunk of chunks) reader.push(chunk);
    return reader.isWhole;
  } catch (error) {
    if (!(error instanceof TransportError)) bill.report(error);
    return reader.ended;
  }
}
