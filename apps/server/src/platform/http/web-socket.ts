import { createHash, randomBytes } from "node:crypto";
import type { Duplex } from "node:stream";
import { Client, type Dispatcher } from "undici";
import { WebSocket } from "ws";
import type { UpstreamRequest } from "./exchange.ts";
import { throughProxy } from "./proxy.ts";
import { classify, TransportError } from "./transport-error.ts";

/**
 * WebSockets, on either side, as messages that are read in order and sent with back-pressure. Knows nothing
 * about the contents of the messages.
 */
export interface SocketMessage {
  data: Buffer;
  binary: boolean;
}

export interface SocketClose {
  /** 1006 when the connection broke without a closing frame. */
  code: number;
  reason: string;
}

export interface MessageSocket {
  /** Yields messages in order, until the socket is closed. For one reader. */
  messages(): AsyncGenerator<SocketMessage, void, undefined>;
  /** Resolves when the socket may take more. A message to a closed socket is dropped. */
  send(data: Buffer | string, binary?: boolean): Promise<void>;
  /** Sends a closing frame, and cuts the connection when the other side does not reply in time. */
  close(code: number, reason: string): void;
  readonly closed: Promise<SocketClose>;
}

/** Messages that may wait for their reader before the socket is paused, and the level at which it resumes. */
const HIGH_WATER = 32;
const LOW_WATER = 8;
/** The same in bytes. */
const HIGH_WATER_BYTES = 4 * 1024 * 1024;
const LOW_WATER_BYTES = 1024 * 1024;
const MAX_UNSENT_BYTES = 1024 * 1024;
const GOODBYE_MS = 5_000;
/**
 * Ping interval. A side that was silent for this long gets a ping; without a pong by the next interval, it is
 * gone.
 */
const PING_MS = 30_000;
/** Pings and pongs of the other side per interval. Clients send one every few seconds at most. */
const MOST_CONTROL_FRAMES = 300;
const MAX_REASON_BYTES = 120;

/**
 * Limits of what is kept for one socket, on either side: a message in very small pieces uses many times its size, and a
 * pong that the other side does not read stays in memory.
 */
export const socketLimits = { maxFragments: 16_384, maxBufferedChunks: 65_536, maxPendingAutoPongs: 60 };

export function messageSocket(socket: WebSocket): MessageSocket {
  const queue: SocketMessage[] = [];
  let wake = () => {};
  let ended: SocketClose | undefined;
  let queued = 0;
  let alive = true;
  let controlFrames = 0;
  const pulse = setInterval(() => {
    if (!alive) socket.terminate();
    alive = false;
    controlFrames = 0;
    if (socket.readyState === WebSocket.OPEN) socket.ping();
  }, PING_MS);
  pulse.unref();
  const countControlFrame = () => {
    alive = true;
    controlFrames += 1;
    if (controlFrames === MOST_CONTROL_FRAMES) close(1008, "too many pings");
  };
  socket.on("ping", countControlFrame);
  socket.on("pong", countControlFrame);
  socket.on("message", (data, binary) => {
    alive = true;
    const message = { data: bytesOf(data), binary };
    queue.push(message);
    queued += message.data.length;
    if (queue.length >= HIGH_WATER || queued >= HIGH_WATER_BYTES) socket.pause();
    wake();
  });
  // The close code reports what went wrong.
  socket.on("error", () => {});
  const closed = new Promise<SocketClose>((resolve) => {
    socket.once("close", (code, reason) => {
      clearInterval(pulse);
      ended = { code, reason: reason.toString("utf8") };
      resolve(ended);
      wake();
    });
  });
  function close(code: number, reason: string): void {
    if (ended !== undefined) return;
    // A paused socket would never read the other side's closing frame.
    if (socket.isPaused) socket.resume();
    socket.close(sayable(code) ? code : 1011, truncateReason(reason));
    setTimeout(() => socket.terminate(), GOODBYE_MS).unref();
  }

  return {
    closed,
    close,
    async *messages() {
      while (true) {
        const message = queue.shift();
        if (message !== undefined) {
          queued -= message.data.length;
          if (socket.isPaused && queue.length <= LOW_WATER && queued <= LOW_WATER_BYTES) socket.resume();
          yield message;
        } else if (ended !== undefined) return;
        else
          await new Promise<void>((resolve) => {
            wake = resolve;
          });
      }
    },
    async send(data, binary = false) {
      if (socket.readyState !== WebSocket.OPEN) return;
      const sent = new Promise<void>((resolve) => {
        socket.send(data, { binary }, () => resolve());
      });
      if (socket.bufferedAmount > MAX_UNSENT_BYTES) await Promise.race([sent, closed]);
    },
  };
}

function bytesOf(data: Buffer | ArrayBuffer | Buffer[]): Buffer {
  if (Buffer.isBuffer(data)) return data;
  return Array.isArray(data) ? Buffer.concat(data) : Buffer.from(data);
}

/** Returns whether a closing frame may carry the code. The others only describe a close without a frame. */
function sayable(code: number): boolean {
  return (code >= 1000 && code <= 1003) || (code >= 1007 && code <= 1014) || (code >= 3000 && code <= 4999);
}

function truncateReason(reason: string): string {
  return Buffer.from(reason).subarray(0, MAX_REASON_BYTES).toString("utf8").replaceAll("\uFFFD", "");
}

export type WebSocketRequest = Omit<UpstreamRequest, "method" | "body" | "idleTimeoutMs"> & {
  /** Maximum size of a message, in bytes. A longer message closes the socket. */
  maxMessage: number;
};

/** Either the socket, or the response of an upstream that rejected the connection. */
export type WebSocketAnswer =
  | { socket: MessageSocket }
  | { status: number; headers: Record<string, string | string[] | undefined>; text: string };

const MAX_REFUSAL_BYTES = 256 * 1024;
const ACCEPT_GUID = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";

/** Opens a WebSocket, through the request's proxy if there is one. Throws TransportError. */
export async function openWebSocket(request: WebSocketRequest): Promise<WebSocketAnswer> {
  const url = new URL(request.url.replace(/^ws/i, "http"));
  const dispatcher = dispatcherFor(url.origin, request);
  const key = randomBytes(16).toString("base64");
  try {
    const answer = await upgrade(dispatcher, url, request, key);
    if (!("stream" in answer)) return answer;
    const expected = createHash("sha1")
      .update(key + ACCEPT_GUID)
      .digest("base64");
    if (answer.accept !== expected) {
      answer.stream.destroy();
      throw new TransportError("network", "The upstream did not answer as a WebSocket does.");
    }
    return { socket: messageSocket(speakOver(answer.stream, request.maxMessage)) };
  } catch (error) {
    // Also destroys a connection that is still being made.
    dispatcher.destroy().catch(() => {});
    throw classify(error);
  } finally {
    // An upgraded connection belongs to its socket only.
    dispatcher.close().catch(() => {});
  }
}

/** Returns a dispatcher outside the pools: the connection is not reused, and HTTP/2 has no upgrade. */
function dispatcherFor(origin: string, { proxy, connectTimeoutMs }: WebSocketRequest): Dispatcher {
  if (proxy !== "") return throughProxy(proxy, { connectTimeoutMs, proxyTunnel: true, allowH2: false });
  return new Client(origin, { allowH2: false, connect: { timeout: connectTimeoutMs } });
}

type UpgradeResult = { stream: Duplex; accept: string } | Exclude<WebSocketAnswer, { socket: MessageSocket }>;

function upgrade(
  dispatcher: Dispatcher,
  url: URL,
  request: WebSocketRequest,
  key: string,
): Promise<UpgradeResult> {
  return new Promise((resolve, reject) => {
    const aborted = new TransportError("aborted", "The call was cancelled.");
    const parts: Buffer[] = [];
    let size = 0;
    let status = 0;
    let headers: Record<string, string | string[] | undefined> = {};
    // Until there is a connection there is nothing to cut, and nothing to wait for.
    let abort: () => void = () => reject(aborted);
    const onAbort = () => abort();
    const settle = () => request.signal?.removeEventListener("abort", onAbort);
    const finish = () => {
      settle();
      resolve({ status, headers, text: Buffer.concat(parts).toString("utf8") });
    };
    if (request.signal?.aborted) {
      reject(aborted);
      return;
    }
    request.signal?.addEventListener("abort", onAbort, { once: true });
    dispatcher.dispatch(
      {
        origin: url.origin,
        path: url.pathname + url.search,
        method: "GET",
        upgrade: "websocket",
        headers: { ...request.headers, "sec-websocket-version": "13", "sec-websocket-key": key },
        headersTimeout: request.firstByteTimeoutMs,
        bodyTimeout: request.firstByteTimeoutMs,
      },
      {
        onRequestStart(controller) {
          abort = () => controller.abort(aborted);
          if (request.signal?.aborted) abort();
        },
        onRequestUpgrade(_controller, _status, answered, stream) {
          settle();
          resolve({ stream, accept: String(answered["sec-websocket-accept"] ?? "") });
        },
        onResponseStart(_controller, statusCode, answered) {
          status = statusCode;
          headers = answered;
        },
        onResponseData(controller, chunk) {
          size += chunk.length;
          if (size <= MAX_REFUSAL_BYTES) parts.push(chunk);
          else controller.abort(new TransportError("network", "The upstream's refusal is too long."));
        },
        onResponseEnd: finish,
        onResponseError(_controller, error) {
          settle();
          reject(error);
        },
      },
    );
  });
}

/**
 * Runs the client's half of the protocol over a connection that is already upgraded. `ws` implements it, but
 * opens connections only itself and supports no proxies. So it is handed the connection where its own would
 * arrive.
 */
function speakOver(stream: Duplex, maxPayload: number): WebSocket {
  const Bare = WebSocket as unknown as new (
    address: null,
    protocols: undefined,
    options: object,
  ) => BareSocket;
  const socket = new Bare(null, undefined, { autoPong: true, closeTimeout: GOODBYE_MS, ...socketLimits });
  Reflect.set(socket, "_isServer", false);
  socket.setSocket(stream, Buffer.alloc(0), { allowSynchronousEvents: true, maxPayload, ...socketLimits });
  return socket;
}

type BareSocket = WebSocket & { setSocket(stream: Duplex, head: Buffer, options: object): void };
