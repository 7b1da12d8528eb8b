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
  if (answer.kind === "body") {
    await reply.code(200).headers(headers).type("application/json; charset=utf-8").send(answer.body);
    return;
  }
  reply.hijack();
  const { raw } = reply;
  raw.writeHead(200, {
    ...headers,
    "content-type": "text/event-stream; charset=utf-8",
    "cache-control": "no-cache",
    "x-accel-buffering": "no",
  });
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
    for await (const text of answer.frames) {
      if (options.signal.aborted) break;
      lastWrite = Date.now();
      if (text !== "" && !raw.write(text)) await drained(reply, options.signal);
    }
  } finally {
    clearInterval(beat);
    options.streams.dec();
    raw.end();
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
