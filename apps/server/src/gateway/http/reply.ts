import type { Socket } from "node:net";
import type { TokenSetting } from "@gateway/shared/accounts/token";
import type { FastifyReply } from "fastify";
import { now } from "#platform/clock.ts";
import type { CancelSignal } from "#platform/http/cancellation.ts";
import type { Answer, Pieces, TextReader, TextStream } from "#relay/core/call.ts";
import { streamText } from "#relay/core/response/text-stream.ts";
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
      await begin(reply, 200, { ...headers, ...unbuffered }, () => answer.stream.leave());
      return writeStream(reply, answer.stream, options);
    }
    case "bytes":
      await begin(reply, answer.status ?? 200, answerHeaders(answer.headers, options.headers), () =>
        answer.chunks.return(),
      );
      return writeChunks(reply, answer.chunks, options);
  }
}

/** Sends a complete response, a large one in pieces, so that a stalled client is noticed. */
async function sendBody(
  reply: FastifyReply,
  { body, headers: given }: Extract<Answer, { kind: "body" }>,
  options: ReplyOptions,
): Promise<void> {
  // A text of megabytes takes long to encode, so its length is not counted separately.
  const sent = body.length > MOST_AT_ONCE ? Buffer.from(body) : body;
  const headers: Record<string, string> = {
    ...allowedHeaders(given),
    "content-type": "application/json; charset=utf-8",
    "content-length": String(Buffer.byteLength(sent)),
    ...options.headers,
  };
  if (typeof sent !== "string") {
    await begin(reply, 200, headers, async () => {});
    return writeChunks(reply, [sent], options);
  }
  // Before `hijack`, so that a header that cannot be sent ends in an error. Head and body leave in one write.
  reply.raw.writeHead(200, wholeHead(reply.request, headers));
  reply.hijack();
  reply.raw.end(body);
  watchStalled(reply, options);
}

/** Watches a response that its client has not accepted at once. Ends it when the client stalls. */
function watchStalled(reply: FastifyReply, options: ReplyOptions): void {
  const { raw } = reply;
  if (raw.socket === null || raw.socket.writableLength === 0) return;
  void waitForSocket(reply, options, "close").then((isRead) => {
    if (!isRead) raw.destroy();
  });
}

/** Writes the head. @param leave called if that fails, so that the bill of the response is closed */
async function begin(
  reply: FastifyReply,
  status: number,
  headers: Record<string, string>,
  leave: () => Promise<unknown>,
): Promise<void> {
  reply.hijack();
  try {
    reply.raw.writeHead(status, wholeHead(reply.request, headers));
  } catch (error) {
    await leave();
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
    return writeStream(reply, streamText(early.fail(error)), { ...options, heartbeatMs: 0 });
  } finally {
    clearInterval(beat);
  }
  switch (answer.kind) {
    case "body":
      return writeStream(reply, streamText(answer.body), { ...options, heartbeatMs: 0 });
    case "stream":
      return writeStream(reply, answer.stream, options);
    case "bytes":
      return writeChunks(reply, answer.chunks, options);
  }
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
 * Writes a stream as fast as the client accepts it. Resolves when its bill is closed. A response that breaks is cut
 * off, so that the client notices.
 */
async function writeStream(reply: FastifyReply, stream: TextStream, options: ReplyOptions): Promise<void> {
  options.streams.inc();
  try {
    await new StreamWriter(reply, stream, options).run();
  } finally {
    options.streams.dec();
  }
}

class StreamWriter implements TextReader {
  readonly #reply: FastifyReply;
  readonly #stream: TextStream;
  readonly #options: ReplyOptions;
  readonly #over = Promise.withResolvers<void>();
  /** Parts of a long text that the socket has not accepted yet. */
  #parts: Buffer[] = [];
  #isWaiting = false;
  #isLeft = false;
  #hasEnded = false;
  #lastWrite = now();

  constructor(reply: FastifyReply, stream: TextStream, options: ReplyOptions) {
    this.#reply = reply;
    this.#stream = stream;
    this.#options = options;
  }

  async run(): Promise<void> {
    const { signal, heartbeatMs } = this.#options;
    const beat = heartbeatMs === 0 ? undefined : setInterval(() => this.#beat(), heartbeatMs / LOOKS);
    const onAbort = (): void => void this.#leave();
    signal.addEventListener("abort", onAbort, { once: true });
    if (signal.aborted) onAbort();
    else this.#stream.start(this);
    try {
      await this.#over.promise;
    } finally {
      clearInterval(beat);
      signal.removeEventListener("abort", onAbort);
    }
  }

  write(text: string): boolean {
    const { raw } = this.#reply;
    this.#lastWrite = now();
    if (this.#isWaiting) this.#parts = this.#parts.concat(partsOf(text));
    else if (text.length <= MOST_AT_ONCE) {
      if (raw.write(text)) return true;
      void this.#wait();
    } else {
      this.#parts = partsOf(text);
      if (this.#writeParts()) return true;
      void this.#wait();
    }
    return false;
  }

  end(error?: unknown): void {
    if (error !== undefined) return this.#cutOff(error);
    this.#hasEnded = true;
    if (!this.#isWaiting) this.#finish();
  }

  #beat(): void {
    const { raw } = this.#reply;
    const { heartbeat, heartbeatMs } = this.#options;
    if (now() - this.#lastWrite < heartbeatMs || raw.writableNeedDrain || this.#isWaiting) return;
    this.#lastWrite = now();
    raw.write(heartbeat);
  }

  /** Returns whether the socket accepts more after all parts. */
  #writeParts(): boolean {
    for (let part = this.#parts.shift(); part !== undefined; part = this.#parts.shift())
      if (!this.#reply.raw.write(part)) return false;
    return true;
  }

  async #wait(): Promise<void> {
    this.#isWaiting = true;
    do {
      if (await waitForSocket(this.#reply, this.#options)) continue;
      await this.#leave();
      return;
    } while (!this.#isLeft && !this.#writeParts());
    this.#isWaiting = false;
    if (this.#isLeft) return;
    if (this.#hasEnded) this.#finish();
    else this.#stream.resume();
  }

  #finish(): void {
    this.#reply.raw.end();
    watchStalled(this.#reply, this.#options);
    this.#over.resolve();
  }

  /** The client is gone or accepts nothing any more. */
  async #leave(): Promise<void> {
    this.#isLeft = true;
    try {
      await this.#stream.leave();
    } catch (error) {
      this.#reply.log.debug({ err: error }, "an answer broke off");
    }
    this.#reply.raw.destroy();
    this.#over.resolve();
  }

  #cutOff(error: unknown): void {
    this.#reply.log.debug({ err: error }, "an answer broke off");
    this.#reply.raw.destroy();
    this.#over.resolve();
  }
}

/** Writes bytes in the same way. */
async function writeChunks(
  reply: FastifyReply,
  chunks: Pieces<Buffer> | readonly Buffer[],
  options: ReplyOptions,
): Promise<void> {
  const { raw } = reply;
  options.streams.inc();
  try {
    for await (const chunk of chunks) {
      if (options.signal.aborted) break;
      const parts = chunk.length <= MOST_AT_ONCE ? [chunk] : partsOf(chunk);
      for (const part of parts) if (!raw.write(part)) await waitForClient(reply, options);
    }
    raw.end();
    watchStalled(reply, options);
  } catch (error) {
    reply.log.debug({ err: error }, "an answer broke off");
    raw.destroy();
  } finally {
    options.streams.dec();
  }
}

/** Waits until the socket accepts more. Throws for a client that stopped reading. */
async function waitForClient(reply: FastifyReply, options: ReplyOptions): Promise<void> {
  if (!(await waitForSocket(reply, options))) throw new Error("The client stopped reading its answer.");
}

/**
 * Waits until the socket accepts more, or the client is gone. Returns false when the client has accepted
 * nothing for `stalledMs`: a connection may stay open forever without a reader.
 */
function waitForSocket(
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

function partsOf(piece: string | Buffer): Buffer[] {
  const bytes = typeof piece === "string" ? Buffer.from(piece) : piece;
  const parts: Buffer[] = [];
  for (let at = 0; at < bytes.length; at += MOST_AT_ONCE) parts.push(bytes.subarray(at, at + MOST_AT_ONCE));
  return parts;
}

/** Bytes handed to the operating system: those written, minus those still buffered in this process. */
function acceptedBy(socket: Socket | null): number {
  return socket === null ? 0 : socket.bytesWritten - socket.writableLength;
}
