/**
 * The load generator, in its own process. Each of a fixed number of connections sends its next request when
 * the previous response is complete. Raw sockets make the generator cheaper than the measured server.
 * Usage: node load.ts '<JSON of LoadOrder>'; prints the JSON of a LoadResult.
 */
import { connect, type Socket } from "node:net";
import { type LoadName, requestBody, scenarioOf, streamMs } from "./scenarios.ts";

export interface LoadOrder {
  /** Connections are spread over them. */
  urls: string[];
  key: string;
  scenario: LoadName;
  /** The target translates, so the scenario's client may speak another dialect than the provider. */
  translates: boolean;
  connections: number;
  /** Only responses that begin and end within this time count. */
  seconds: number;
}

export interface LoadResult {
  /** Complete and correct responses within the counted time. */
  requests: number;
  failed: number;
  /** The first wrong response, for the error message. */
  firstFailure: string;
  seconds: number;
  /** Milliseconds from the first byte sent to the last byte received. */
  p50: number;
  p99: number;
  /** Total chunks of all streams. */
  chunks: number;
  /** Milliseconds from the first byte sent to the first byte received. */
  firstByteP50: number;
  firstByteP99: number;
  /** Milliseconds from the provider's sending of a chunk to its arrival; 0 where chunks have no send time. */
  delayP50: number;
  delayP99: number;
}

const chunkStart = "data: {";
const sentAt = /@(\d+\.\d+)@/g;

const headEnd = Buffer.from("\r\n\r\n");
const lastChunk = "\r\n0\r\n\r\n";
const TAIL = 64;

/** Detects the end of a response. It must be the only one on its connection. */
class AnswerReader {
  #head: Buffer = Buffer.alloc(0);
  #bodyBytes = 0;
  #expected: number | undefined;
  #tail = "";
  status = 0;
  text = "";
  chunks = 0;
  readonly delays: number[] = [];

  /** Returns true when the response is complete. */
  read(data: Buffer): boolean {
    let body = data;
    if (this.status === 0) {
      this.#head = this.#head.length === 0 ? data : Buffer.concat([this.#head, data]);
      const end = this.#head.indexOf(headEnd);
      if (end === -1) return false;
      const head = this.#head.toString("latin1", 0, end);
      this.status = Number(head.slice(9, 12));
      const length = /\r\ncontent-length: *(\d+)/i.exec(head)?.[1];
      this.#expected = length === undefined ? undefined : Number(length);
      body = this.#head.subarray(end + headEnd.length);
    }
    if (this.text.length < 500) this.text += body.toString("utf8", 0, 500);
    if (this.#expected === undefined) this.#readChunks(body.toString("latin1"));
    this.#bodyBytes += body.length;
    this.#tail = (this.#tail + body.toString("latin1", Math.max(0, body.length - TAIL))).slice(-TAIL);
    return this.#expected === undefined ? this.#tail.endsWith(lastChunk) : this.#bodyBytes >= this.#expected;
  }

  /** A chunk that is split over two reads is counted by its beginning, and its delay is not measured. */
  #readChunks(piece: string): void {
    for (let at = piece.indexOf(chunkStart); at !== -1; at = piece.indexOf(chunkStart, at + 1))
      this.chunks += 1;
    const now = performance.timeOrigin + performance.now();
    for (const [, at] of piece.matchAll(sentAt)) this.delays.push(now - Number(at));
  }

  /** @param end text that the end of a right response contains */
  isRight(end: string): boolean {
    return this.status === 200 && this.#tail.includes(end);
  }
}

async function run(order: LoadOrder): Promise<LoadResult> {
  const { stream, everyMs = 0, startMs, client: spoken } = scenarioOf(order.scenario);
  const dialect = order.translates ? spoken : undefined;
  const body = requestBody(order.scenario, dialect);
  const path = dialect === "anthropic" ? "/v1/messages" : "/v1/chat/completions";
  const rightEnd = !stream ? "}" : dialect === "anthropic" ? '"message_stop"' : "data: [DONE]";
  const servers = order.urls.map((url) => {
    const { hostname, port } = new URL(url);
    const request = Buffer.from(
      `POST ${path} HTTP/1.1\r\nHost: ${hostname}:${port}\r\nAuthorization: Bearer ${order.key}\r\n` +
        `Content-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
    );
    return { hostname, port: Number(port), request };
  });
  const latencies: number[] = [];
  const firstBytes: number[] = [];
  const delays: number[] = [];
  let chunks = 0;
  // Streams start evenly over the duration of one stream, as in real use.
  const apartMs = (startMs ?? streamMs(order.scenario)) / order.connections;
  let failed = 0;
  let firstFailure = "";
  const start = performance.now();
  const end = start + order.seconds * 1000;

  function client(index: number): Promise<void> {
    const server = servers[index % servers.length];
    if (server === undefined) throw new Error("An order names at least one address.");
    const { hostname, port, request } = server;
    return new Promise((resolve) => {
      let socket: Socket;
      let isFirst = true;
      let reader = new AnswerReader();
      let sent = 0;
      const send = () => {
        reader = new AnswerReader();
        isFirst = true;
        sent = performance.now();
        socket.write(request);
      };
      const fail = (why: string) => {
        failed += 1;
        firstFailure ||= why;
      };
      const open = () => {
        socket = connect({ host: hostname, port, noDelay: true });
        socket.once("connect", send);
        socket.on("data", (data: Buffer) => {
          if (isFirst) firstBytes.push(performance.now() - sent);
          isFirst = false;
          if (!reader.read(data)) return;
          const now = performance.now();
          chunks += reader.chunks;
          for (const delay of reader.delays) delays.push(delay);
          if (!reader.isRight(rightEnd)) fail(`${reader.status} ${reader.text}`);
          else if (now <= end) latencies.push(now - sent);
          if (now >= end) socket.end();
          else if (everyMs === 0) send();
          else setTimeout(send, Math.max(0, sent + everyMs - now));
        });
        socket.on("error", (error) => fail(error.message));
        socket.on("close", () => {
          if (performance.now() >= end) resolve();
          // Waits, so that a stopped server does not get continuous connections.
          else setTimeout(open, 100);
        });
      };
      setTimeout(open, index * apartMs);
    });
  }

  await Promise.all(Array.from({ length: order.connections }, (_, index) => client(index)));
  const [latency, firstByte, delay] = [latencies, firstBytes, delays].map(shares);
  return {
    requests: latencies.length,
    failed,
    firstFailure,
    seconds: order.seconds,
    p50: latency?.p50 ?? 0,
    p99: latency?.p99 ?? 0,
    chunks,
    firstByteP50: firstByte?.p50 ?? 0,
    firstByteP99: firstByte?.p99 ?? 0,
    delayP50: delay?.p50 ?? 0,
    delayP99: delay?.p99 ?? 0,
  };
}

function shares(values: number[]): { p50: number; p99: number } {
  const sorted = values.toSorted((one, other) => one - other);
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
  return { p50: at(0.5), p99: at(0.99) };
}

const [, file, order] = process.argv;
if (file === import.meta.filename && order !== undefined) {
  console.log(JSON.stringify(await run(JSON.parse(order) as LoadOrder)));
}
