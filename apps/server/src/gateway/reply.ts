import type { FastifyReply } from "fastify";
import type { Answer } from "#relay/call.ts";

/** Writes an answer to the client: a body, or frames with back-pressure and a heartbeat while the vendor thinks. */
export interface ReplyOptions {
  heartbeat: string;
  /** Milliseconds of silence before a heartbeat; 0 = none. */
  heartbeatMs: number;
  headers: Record<string, string>;
  signal: AbortSignal;
  streams: { inc(): void; dec(): void };
}

export async function sendAnswer(reply: FastifyReply, answer: Answer, options: ReplyOptions): Promise<void> {
  const headers = { ...options.headers, ...answer.headers };
  switch (answer.kind) {
    case "body":
      await reply.code(200).headers(headers).type("application/json; charset=utf-8").send(answer.body);
      return;
    case "stream":
      reply.hijack();
      reply.raw.writeHead(200, {
        ...headers,
        "cache-control": "no-cache",
        "x-accel-buffering": "no",
      });
      await pump(reply, answer.frames, options);
      return;
    case "bytes":
      reply.hijack();
      reply.raw.writeHead(200, headers);
      await pump(reply, answer.chunks, { ...options, heartbeatMs: 0 });
  }
}

/** Writes what comes, as fast as the client takes it. An answer that breaks is cut off, so that it looks broken. */
async function pump(
  reply: FastifyReply,
  pieces: AsyncGenerator<string | Buffer, void, undefined>,
  options: ReplyOptions,
): Promise<void> {
  const { raw } = reply;
  let lastWrite = Date.now();
  const beat =
    options.heartbeatMs === 0
      ? undefined
      : setInterval(() => {
          if (Date.now() - lastWrite >= options.heartbeatMs && !raw.writableNeedDrain)
            raw.write(options.heartbeat);
        }, options.heartbeatMs);
  options.streams.inc();
  try {
    for await (const piece of pieces) {
      if (options.signal.aborted) break;
      lastWrite = Date.now();
      if (piece.length > 0 && !raw.write(piece)) await drained(reply, options.signal);
    }
    raw.end();
  } catch (error) {
    reply.log.debug({ err: error }, "an answer broke off");
    raw.destroy();
  } finally {
    clearInterval(beat);
    options.streams.dec();
  }
}

/** Until the socket takes more, or the client is gone. */
function drained(reply: FastifyReply, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      reply.raw.off("drain", done);
      signal.removeEventListener("abort", done);
      resolve();
    };
    reply.raw.once("drain", done);
    signal.addEventListener("abort", done, { once: true });
    if (signal.aborted) done();
  });
}
