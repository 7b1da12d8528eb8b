import { on, once } from "node:events";
import type { IncomingMessage } from "node:http";
import { request, type RequestOptions } from "node:https";
import { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { pipeline } from "node:stream/promises";
import { WebSocket } from "ws";

/** The gateway behind a proxy. */
export interface Site {
  /** With the base path, without a slash at its end. */
  url: string;
  key: string;
  /** Channel whose provider takes files. */
  channel: number;
}

/** The certificate of the examples is made for this run. */
const anyCertificate: RequestOptions = { rejectUnauthorized: false };
const TIMEOUT_MS = 120_000;
const UPLOAD_BYTES = 100 * 1024 * 1024;
const CHUNK = Buffer.alloc(1024 * 1024, 7);
const PIECES = 10;
const PIECE_MS = 200;

/** What an example of a proxy must let through. Each throws what is wrong, and returns a figure for the report. */
export const checks: Readonly<Record<string, (site: Site) => Promise<string>>> = {
  console: async ({ url }) => {
    const page = await text(await open(`${url}/panel`, { method: "GET" }));
    if (!page.includes('<div id="root">')) throw new Error(`no console at /panel: ${page.slice(0, 200)}`);
    return "served";
  },
  stream: checkStream,
  upload: checkUpload,
  WebSocket: checkWebSocket,
};

/** The pieces of an answer must arrive as the provider sends them, not together at its end. */
async function checkStream({ url, key }: Site): Promise<string> {
  const content = `[[length=${PIECES}]] [[chunk-delay=${PIECE_MS}]]`;
  const body = { model: "demo-chat", stream: true, messages: [{ role: "user", content }] };
  const answer = await open(`${url}/v1/chat/completions`, {
    method: "POST",
    headers: { "content-type": "application/json", authorization: `Bearer ${key}` },
    write: [JSON.stringify(body)],
  });
  let received = "";
  let first = 0;
  for await (const chunk of answer) {
    received += String(chunk);
    if (first === 0) first = Date.now();
  }
  if (!received.includes("[DONE]")) throw new Error(`the stream is incomplete: ${received.slice(0, 200)}`);
  const spread = Date.now() - first;
  if (spread < (PIECES * PIECE_MS) / 2)
    throw new Error(`the stream arrived within ${spread} ms: it was buffered`);
  return `over ${spread} ms`;
}

/** A file for a provider, which the gateway passes on without a limit of its own. */
async function checkUpload({ url, key, channel }: Site): Promise<string> {
  const begun = Date.now();
  const answer = await open(`${url}/v1/files`, {
    method: "POST",
    headers: { "content-type": "application/octet-stream", authorization: `Bearer ${key}#${channel}` },
    write: Array.from({ length: UPLOAD_BYTES / CHUNK.length }, () => CHUNK),
  });
  const output = await text(answer);
  if (output !== JSON.stringify({ bytes: UPLOAD_BYTES }))
    throw new Error(`an upload of 100 MB returns ${answer.statusCode}: ${output.slice(0, 300)}`);
  return `100 MB in ${Date.now() - begun} ms`;
}

async function checkWebSocket({ url, key }: Site): Promise<string> {
  const headers = { authorization: `Bearer ${key}` };
  const socket = new WebSocket(`${url.replace(/^http/, "ws")}/v1/responses`, { ...anyCertificate, headers });
  try {
    const signal = AbortSignal.timeout(TIMEOUT_MS);
    await once(socket, "open", { signal });
    socket.send(JSON.stringify({ type: "response.create", model: "demo-chat", input: "[[length=5]]" }));
    for await (const [data] of on(socket, "message", { signal, close: ["close"] }) as AsyncIterable<
      [Buffer]
    >) {
      const { type } = JSON.parse(data.toString()) as { type: string };
      if (type === "response.completed") return "response.completed";
      if (type === "error") throw new Error(data.toString());
    }
    throw new Error("the WebSocket was closed before the response was complete");
  } finally {
    socket.terminate();
  }
}

interface Sent {
  method: string;
  headers?: Record<string, string>;
  write?: readonly (string | Buffer)[];
}

/** Sends a request and returns its response, whose body is still to be read. */
async function open(url: string, { method, headers = {}, write = [] }: Sent): Promise<IncomingMessage> {
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  const sent = request(url, { ...anyCertificate, method, headers, signal });
  const answer = once(sent, "response") as Promise<[IncomingMessage]>;
  // A proxy that refuses a body closes the connection, often after its response.
  pipeline(Readable.from(write), sent).catch(() => undefined);
  return (await answer)[0];
}
