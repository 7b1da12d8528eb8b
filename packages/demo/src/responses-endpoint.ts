import type { IncomingMessage, Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { Duplex } from "node:stream";
import { WebSocket, WebSocketServer } from "ws";
import { type Json, asObject, asText } from "./answer/json.ts";

const PATH = "/v1/responses";
const MAX_MESSAGE = 32 * 1024 * 1024;
/** Headers of the upgrade itself. The others belong to each request. */
const ofUpgrade = /^(?:sec-websocket-|connection$|upgrade$|host$|content-length$)/;

/**
 * `/v1/responses` as a WebSocket: one response after another, one event per message. Each request is served
 * as the same request over HTTP, with two more headers for the log of calls: `x-demo-socket`, the number of
 * the connection, and `x-demo-items`, the number of items that the client sent. Returns a function that ends
 * the connections.
 */
export function openResponses(server: Server): () => void {
  const sockets = new WebSocketServer({ noServer: true, maxPayload: MAX_MESSAGE });
  let connections = 0;
  server.on("upgrade", (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    if (!isResponses(request)) return;
    socket.on("error", () => socket.destroy());
    sockets.handleUpgrade(request, socket, head, (client) => {
      connections += 1;
      const { port } = server.address() as AddressInfo;
      const kept = Object.entries(request.headers).filter(([name]) => !ofUpgrade.test(name));
      const headers = Object.fromEntries(kept.map(([name, value]) => [name, String(value)]));
      serve(client, `http://127.0.0.1:${port}${PATH}`, {
        ...headers,
        "content-type": "application/json",
        "x-demo-socket": String(connections),
      });
    });
  });
  return () => {
    for (const client of sockets.clients) client.terminate();
  };
}

export function isResponses({ url = "/" }: Pick<IncomingMessage, "url">): boolean {
  return new URL(url, "http://demo").pathname === PATH;
}

/** The last response of a connection, with all items up to its end. */
interface Last {
  id: string;
  items: unknown[];
}

function serve(client: WebSocket, address: string, headers: Record<string, string>): void {
  const gone = new AbortController();
  let last: Last | undefined;
  let isBusy = false;
  client.once("close", () => gone.abort());
  client.on("error", () => {});
  client.on("message", (data: Buffer) => {
    if (isBusy) {
      say(failure(400, { message: "A response is in progress on this connection." }));
      return;
    }
    isBusy = true;
    respond(data.toString("utf8"))
      // The connection of the request was cut, so this one is, too.
      .catch(() => client.terminate())
      .finally(() => (isBusy = false));
  });

  function say(event: Json | string): void {
    if (client.readyState === WebSocket.OPEN)
      client.send(typeof event === "string" ? event : JSON.stringify(event));
  }

  async function respond(text: string): Promise<void> {
    const event = readJson(text);
    if (event?.["type"] !== "response.create") {
      say(failure(400, { message: "Expected an event of the type 'response.create'." }));
      return;
    }
    const { type: _type, generate, ...body } = event;
    const given = itemsOf(body["input"]);
    const previous = body["previous_response_id"];
    const isLast = previous != null && previous === last?.id;
    if (previous != null && !isLast && body["store"] === false) {
      const message = `Previous response with id '${asText(previous)}' not found.`;
      last = undefined;
      say(failure(400, { message, code: "previous_response_not_found", param: "previous_response_id" }));
      return;
    }
    const items = isLast ? [...(last?.items ?? []), ...given] : given;
    last = undefined;
    if (generate === false) {
      last = warmedUp(items, say);
      return;
    }
    const response = await fetch(address, {
      method: "POST",
      headers: { ...headers, "x-demo-items": String(given.length) },
      body: JSON.stringify({ ...body, input: items, stream: true }),
      signal: gone.signal,
    });
    if (!response.ok) {
      const { error } = asObject(await response.json());
      say(failure(response.status, asObject(error), response.headers.get("retry-after")));
      return;
    }
    for await (const data of dataOf(response)) {
      const done = data.includes('"response.completed"') ? asObject(readJson(data)?.["response"]) : undefined;
      if (done !== undefined && Array.isArray(done["output"]))
        last = { id: asText(done["id"]), items: [...items, ...(done["output"] as unknown[])] };
      say(data);
    }
  }
}

/** Prepares the input without a response. */
function warmedUp(items: unknown[], say: (event: Json) => void): Last {
  const id = `resp_${crypto.randomUUID().replaceAll("-", "")}`;
  const response = { id, object: "response", status: "completed", output: [], usage: null };
  say({ type: "response.created", response: { ...response, status: "in_progress" } });
  say({ type: "response.completed", response });
  return { id, items };
}

function itemsOf(input: unknown): unknown[] {
  if (Array.isArray(input)) return input;
  return [{ type: "message", role: "user", content: asText(input) }];
}

function readJson(text: string): Json | undefined {
  try {
    return asObject(JSON.parse(text));
  } catch {
    return undefined;
  }
}

function failure(status: number, error: Json, retryAfter?: string | null): Json {
  const headers = retryAfter == null ? {} : { headers: { "retry-after": retryAfter } };
  return {
    type: "error",
    status,
    error: { type: "invalid_request_error", code: null, ...error },
    ...headers,
  };
}

/** Yields the data of each event of a stream. */
async function* dataOf(response: Response): AsyncGenerator<string, void, undefined> {
  if (response.body === null) return;
  let text = "";
  for await (const chunk of response.body.pipeThrough(new TextDecoderStream())) {
    text += chunk;
    const events = text.split("\n\n");
    text = events.pop() ?? "";
    for (const event of events) yield event.slice(event.indexOf("data: ") + 6);
  }
}
