/** One call and its response, with all requested faults. */
import type { IncomingMessage, ServerResponse } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import type { Json } from "./answer/json.ts";
import type { Behaviour } from "./answer/switches.ts";
import type { Call } from "./calls.ts";
import { type Fault, type Provider, refusal, requestIdHeader } from "./faults.ts";
import type { Frame } from "./formats/chat-wire.ts";

const HEAP = 16_384;
const GARBAGE =
  "<html><head><title>502 Bad Gateway</title></head><body><h1>502 Bad Gateway</h1></body></html>";

/** A complete response that is ready to send. */
export interface Reply {
  type: string;
  body: string | Buffer;
}

/** A response as events. */
export interface EventAnswer {
  events: Iterable<Frame>;
}

export function json(body: Json): Reply {
  return { type: "application/json", body: JSON.stringify(body) };
}

export class Exchange {
  readonly call: Call;
  readonly provider: Provider;
  readonly requestId: string;
  readonly #response: ServerResponse;
  /** Aborts when the connection is closed by either side. */
  readonly #gone = new AbortController();
  #cut = false;

  constructor(
    request: IncomingMessage,
    response: ServerResponse,
    call: Call,
    provider: Provider,
    requestId: string,
  ) {
    this.call = call;
    this.provider = provider;
    this.requestId = requestId;
    this.#response = response;
    response.once("close", () => {
      call.endedAt = Date.now();
      call.aborted = !response.writableFinished && !this.#cut;
      this.#gone.abort();
    });
    request.once("error", () => this.#gone.abort());
  }

  get gone(): boolean {
    return this.#gone.signal.aborted;
  }

  async #pause(milliseconds: number): Promise<void> {
    try {
      await sleep(milliseconds, undefined, { signal: this.#gone.signal });
    } catch {
      // The caller left: there is nothing to wait for.
    }
  }

  /** Waits until the caller or the server closes the connection. */
  async #hang(): Promise<void> {
    if (this.gone) return;
    await new Promise((resolve) => {
      this.#gone.signal.addEventListener("abort", resolve, { once: true });
    });
  }

  #close(): void {
    this.#cut = true;
    this.#response.destroy();
  }

  #start(status: number, headers: Record<string, string | number>): void {
    this.call.status = status;
    this.#response.writeHead(status, { [requestIdHeader[this.provider]]: this.requestId, ...headers });
  }

  /** Writes text to the socket. Resolves when more may follow. */
  async #write(text: string | Buffer): Promise<void> {
    if (this.gone || this.#response.write(text)) return;
    await new Promise<void>((resolve) => {
      this.#response.once("drain", resolve);
      this.#gone.signal.addEventListener("abort", () => resolve(), { once: true });
    });
  }

  async #flushed(text: string | Buffer): Promise<void> {
    if (this.gone) return;
    await new Promise<void>((resolve) => {
      this.#gone.signal.addEventListener("abort", () => resolve(), { once: true });
      this.#response.write(text, () => resolve());
    });
  }

  refuse(fault: Fault): void {
    if (this.gone) return;
    const { status, headers, body } = refusal(this.provider, fault, this.requestId);
    const text = JSON.stringify(body);
    const type = this.provider === "gemini" ? "application/json; charset=UTF-8" : "application/json";
    this.#start(status, { ...headers, "content-type": type, "content-length": Buffer.byteLength(text) });
    this.#response.end(text);
  }

  /** Applies faults before the first byte. Returns true when the call ended with one. */
  async trouble(behaviour: Behaviour): Promise<boolean> {
    if (behaviour.delay !== undefined) await this.#pause(behaviour.delay);
    if (this.gone) return true;
    if (behaviour.noCredit === true) {
      this.refuse({ status: 429, noCredit: true });
      return true;
    }
    if (behaviour.status !== undefined) {
      this.refuse({ status: behaviour.status, retryAfter: behaviour.retryAfter });
      return true;
    }
    if (behaviour.cut === "start") this.#close();
    if (behaviour.hang === "start") await this.#hang();
    return this.gone || behaviour.cut === "start";
  }

  async send(reply: Reply, behaviour: Behaviour): Promise<void> {
    if (this.gone) return;
    const body = behaviour.garbage === true ? GARBAGE : reply.body;
    this.#start(200, { "content-type": reply.type, "content-length": Buffer.byteLength(body) });
    const broken = behaviour.cut ?? behaviour.hang;
    if (broken === undefined) {
      this.#response.end(body);
      return;
    }
    this.#response.flushHeaders();
    if (broken !== "headers") await this.#flushed(Buffer.from(body).subarray(0, Math.ceil(body.length / 2)));
    if (behaviour.cut === undefined) await this.#hang();
    else this.#close();
  }

  /**
   * Streams frames. `failure` creates the provider's error inside a stream; it receives the number of frames
   * before it.
   */
  async stream(
    type: string,
    frames: Iterable<Frame>,
    behaviour: Behaviour,
    failure: (framesSent: number) => string,
  ): Promise<void> {
    if (this.gone) return;
    this.#start(200, { "content-type": type, "cache-control": "no-cache" });
    this.#response.flushHeaders();
    if (behaviour.cut === "headers") return this.#close();
    if (behaviour.hang === "headers") return this.#hang();
    const { until, end } = cutFrames(frames, behaviour);
    const delay = behaviour.chunkDelay ?? 0;
    let heap = "";
    let sent = 0;
    for (const frame of until) {
      heap += frame.text;
      sent += 1;
      if (delay === 0 || !frame.piece) {
        if (heap.length < HEAP) continue;
        await this.#write(heap);
      } else {
        await this.#write(heap);
        await this.#pause(delay);
      }
      heap = "";
      if (this.gone) return;
    }
    if (end === undefined) this.#response.end(heap);
    else await this.#endEarly(end, heap, failure(sent));
  }

  async #endEarly(end: Early, heap: string, failure: string): Promise<void> {
    switch (end) {
      case "error":
        this.#response.end(heap + failure);
        return;
      case "garbage":
        this.#response.end(`${heap}data: {"id": "oops", "choi\n\n${GARBAGE}\n\n`);
        return;
      case "cut":
        await this.#flushed(heap);
        return this.#close();
      case "hang":
        await this.#flushed(heap);
        return this.#hang();
    }
  }
}

const PIECES_BEFORE_GARBAGE = 2;

type Early = "cut" | "hang" | "error" | "garbage";

function breakOf(behaviour: Behaviour): { end: Early; after: number } | undefined {
  if (typeof behaviour.cut === "number") return { end: "cut", after: behaviour.cut };
  if (typeof behaviour.hang === "number") return { end: "hang", after: behaviour.hang };
  if (behaviour.errorMidStream !== undefined) return { end: "error", after: behaviour.errorMidStream };
  return behaviour.garbage === true ? { end: "garbage", after: PIECES_BEFORE_GARBAGE } : undefined;
}

/** Returns the frames before the break: it comes right after its piece, or after the last piece. */
function cutFrames(frames: Iterable<Frame>, behaviour: Behaviour): { until: Iterable<Frame>; end?: Early } {
  const early = breakOf(behaviour);
  if (early === undefined) return { until: frames };
  const all = [...frames];
  const pieces = all.flatMap((frame, index) => (frame.piece ? [index] : []));
  const last = pieces[Math.min(early.after, pieces.length) - 1];
  const stop = last === undefined ? (pieces[0] ?? all.length - 1) : last + 1;
  return { until: all.slice(0, stop), end: early.end };
}
