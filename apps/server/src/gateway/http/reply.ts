import type { Socket } from "node:net";
import type { TokenSetting } from "@gateway/shared/accounts/token";
import type { FastifyReply } from "fastify";
import { now } from "#platform/clock.ts";
import type { CancelSignal } from "#platform/http/cancellation.ts";
import type { Answer, Pieces } from "#relay/core/call.ts";
import { allowedHeaders, answerHeaders, wholeHead } from "./answer-headers.ts";

/**
 * Writes a response to the client: a body, or frames with back-pressure and heartbeats while the provider is
 * silent.
 */
export interface ReplyOptions {
  heartbeat: string;
  /** Milliseconds of silence before a heartbeat; 0 = none. */
  heartbeatMs: number;
  headers: Record<string, string>;
  signal: CancelSignal;
  /** Milliseconds after which a client that accepts nothing is stalled. Default: STALLED_MS. */
  stalledMs?: number;
  streams: { inc(): void; dec(): void };
}

/**
 * Returns the milliseconds of silence before a heartbeat; 0 = never. The token's setting overrides the
 * operator's.
 */
export function heartbeatMs(token: TokenSetting["heartbeat"], operatorSeconds: number): number {
  return (token.enabled ? token.timeout_seconds : operatorSeconds) * 1_000;
}

export async function sendAnswer(reply: FastifyReply, answer: Answer, options: ReplyOptions): Promise<void> {
  switch (answer.kind) {
    case "body":
      return sendBody(reply, answer, options);
    case "stream": {
      const headers = answerHeaders(answer.headers, options.headers);
      await begin(reply, 200, { ...headers, ...unbuffered }, answer.frames);
      await pump(reply, answer.frames, options);
      return;
    }
    case "bytes":
      await begin(reply, answer.status ?? 200, answerHeaders(answer.headers, options.headers), answer.chunks);
      await pump(reply, answer.chunks, { ...options, heartbeatMs: 0 });
  }
}

/** Sends a complete response, a large one in pieces, so that a stalled client is noticed. */
async function sendBody(
  reply: FastifyReply,
  { body, headers: given }: Extract<Answer, { kind: "body" }>,
  options: ReplyOptions,
): Promise<void> {
  const headers: Record<string, string> = {
    ...allowedHeaders(given),
    "content-type": "application/json; charset=utf-8",
    "content-length": String(Buffer.byteLength(body)),
    ...options.headers,
  };
  if (body.length > MOST_AT_ONCE) {
    const chunks = once(Buffer.from(body));
    await begin(reply, 200, headers, chunks);
    return pump(reply, chunks, { ...options, heartbeatMs: 0 });
  }
  // Before `hijack`, so that a header that cannot be sent ends in an error. Head and body leave in one write.
  reply.raw.writeHead(200, wholeHead(reply.request, headers));
  reply.hijack();
  reply.raw.end(body);
  watchStalled(reply, options);
}

async function* once(bytes: Buffer): Pieces<Buffer> {
  yield bytes;
}

/** Watches a response that its client has not accepted at once. Ends it when the client stalls. */
function watchStalled(reply: FastifyReply, options: ReplyOptions): void {
  const { raw } = reply;
  if (raw.socket === null || raw.socket.writableLength === 0) return;
  void drained(reply, options, "close").then((isRead) => {
    if (!isRead) raw.destroy();
  });
}

/** Writes the head. If that fails, leaves the response, so that its bill is closed. */
async function begin(
  reply: FastifyReply,
  status: number,
  headers: Record<string, string>,
  pieces: Pieces<string> | Pieces<Buffer>,
): Promise<void> {
  reply.hijack();
  try {
    reply.raw.writeHead(status, wholeHead(reply.request, headers));
  } catch (error) {
    await pieces.return();
    reply.raw.destroy();
    throw error;
  }
}

/** A stream that begins before the response is ready. */
export interface EarlyStart {
  contentType: string;
  /** Returns the error as part of the stream. */
  fail(error: unknown): string;
}

/**
 * Sends a pending response to a client whose network path closes silent connections. After one heartbeat
 * interval the stream begins, with heartbeats until the response is ready. An error can then only be sent
 * within the stream, and provider headers not at all.
 */
export async function sendWhenReady(
  reply: FastifyReply,
  pending: Promise<Answer>,
  options: ReplyOptions,
  early: EarlyStart,
): Promise<void> {
  if (await settlesWithin(pending, options.heartbeatMs)) return sendAnswer(reply, await pending, options);
  const { raw } = reply;
  reply.hijack();
  const headers = {
    ...answerHeaders({ "content-type": early.contentType }, options.headers),
    ...unbuffered,
  };
  raw.writeHead(200, wholeHead(reply.request, headers));
  raw.write(options.heartbeat);
  const beat = setInterval(() => {
    if (!raw.writableNeedDrain) raw.write(options.heartbeat);
  }, options.heartbeatMs);
  let answer: Answer;
  try {
    answer = await pending;
  } catch (error) {
    return pump(reply, once(Buffer.from(early.fail(error))), { ...options, heartbeatMs: 0 });
  } finally {
    clearInterval(beat);
  }
  if (answer.kind === "body")
    return pump(reply, once(Buffer.from(answer.body)), { ...options, heartbeatMs: 0 });
  await pump(reply, answer.kind === "stream" ? answer.frames : answer.chunks, options);
}

/** Whether the promise settles in time, with either result. */
async function settlesWithin(pending: Promise<unknown>, milliseconds: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<false>((resolve) => {
    timer = setTimeout(() => resolve(false), milliseconds);
  });
  const settled = pending.then(
    () => true,
    () => true,
  );
  return Promise.race([settled, late]).finally(() => clearTimeout(timer));
}

/** A client that accepts no byte for this long counts as disconnected. Documented in docs/money.md. */
const STALLED_MS = 10 * 60_000;

const unbuffered = { "cache-control": "no-cache", "x-accel-buffering": "no" };

/** Checks per heartbeat interval. A heartbeat is late by at most this fraction of its interval. */
const LOOKS = 5;

/**
 * Writes the pieces as fast as the client accepts them. A broken response is cut off, so that the client
 * notices.
 */
async function pump(
  reply: FastifyReply,
  pieces: AsyncGenerator<string | Buffer, void, undefined>,
  options: ReplyOptions,
): Promise<void> {
  const { raw } = reply;
  let lastWrite = now();
  const beat =
    options.heartbeatMs === 0
      ? undefined
      : setInterval(() => {
          if (now() - lastWrite < options.heartbeatMs || raw.writableNeedDrain) return;
          lastWrite = now();
          raw.write(options.heartbeat);
        }, options.heartbeatMs / LOOKS);
  options.streams.inc();
  try {
    for await (const piece of pieces) {
      if (options.signal.aborted) break;
      lastWrite = now();
      if (piece.length <= MOST_AT_ONCE) {
        if (piece.length > 0 && !raw.write(piece)) await accepted(reply, options);
      } else for (const part of partsOf(piece)) if (!raw.write(part)) await accepted(reply, options);
    }
    raw.end();
    watchStalled(reply, options);
  } catch (error) {
    reply.log.debug({ err: error }, "an answer broke off");
    raw.destroy();
  } finally {
    clearInterval(beat);
    options.streams.dec();
  }
}

/** Waits until the socket accepts more. Throws for a client that stopped reading. */
async function accepted(reply: FastifyReply, options: ReplyOptions): Promise<void> {
  if (!(await drained(reply, options))) throw new Error("The client stopped reading its answer.");
}

/**
 * Waits until the socket accepts more, or the client is gone. Returns false when the client has accepted
 * nothing for `stalledMs`: a connection may stay open forever without a reader.
 */
function drained(
  { raw }: FastifyReply,
  { signal, stalledMs = STALLED_MS }: Pick<ReplyOptions, "signal" | "stalledMs">,
  until: "drain" | "close" = "drain",
): Promise<boolean> {
  return new Promise((resolve) => {
    const { socket } = raw;
    let accepted = acceptedBy(socket);
    let acceptedAt = now();
    const done = (isRead: boolean) => {
      clearInterval(timer);
      raw.off(until, onDrain);
      signal.removeEventListener("abort", onDrain);
      resolve(isRead);
    };
    const onDrain = () => done(true);
    // A slow client that accepts a little of the pending data is not stalled.
    const timer = setInterval(() => {
      const total = acceptedBy(socket);
      if (total !== accepted) [accepted, acceptedAt] = [total, now()];
      else if (now() - acceptedAt >= stalledMs) done(false);
    }, stalledMs / LOOKS);
    raw.once(until, onDrain);
    signal.addEventListener("abort", onDrain, { once: true });
    if (signal.aborted) onDrain();
  });
}

/** Maximum bytes per write. A partly accepted write cannot be observed, so no write is large. */
const MOST_AT_ONCE = 64 * 1024;

function* partsOf(piece: string | Buffer): Generator<Buffer> {
  const bytes = typeof piece === "string" ? Buffer.from(piece) : piece;
  for (let at = 0; at < bytes.length; at += MOST_AT_ONCE) yield bytes.subarray(at, at + MOST_AT_ONCE);
}

/** Bytes handed to the operating system: those written, minus those still buffered in this process. */
function acceptedBy(socket: Socket | null): number {
  return socket === null ? 0 : socket.bytesWritten - socket.writableLength;
}
