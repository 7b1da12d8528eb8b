import { createServer, type IncomingMessage, type ServerResponse } from "node:http";

/** A request as a scripted server received it. */
export interface ReceivedRequest {
  method: string;
  path: string;
  headers: IncomingMessage["headers"];
  /** Parsed JSON; undefined without a body. */
  body: Record<string, unknown> | undefined;
}

/** What a scripted server returns: JSON, or frames of a stream. `hang` sends nothing at all. */
export type ScriptedResponse =
  | { status?: number; json: unknown }
  | { status?: number; text: string; type?: string }
  | { frames: readonly unknown[] }
  | { hang: true };

export interface ScriptedServer {
  url: string;
  requests: ReceivedRequest[];
  /** Sets the script of all following requests. */
  play(script: (request: ReceivedRequest) => ScriptedResponse): void;
  close(): Promise<void>;
}

/** Starts an HTTP server that answers each request as its script says: a provider, or a search service. */
export async function startScriptedServer(): Promise<ScriptedServer> {
  let script: (request: ReceivedRequest) => ScriptedResponse = () => ({ status: 404, json: {} });
  const requests: ReceivedRequest[] = [];
  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const pieces: Buffer[] = [];
    for await (const piece of request) pieces.push(piece as Buffer);
    const text = Buffer.concat(pieces).toString("utf8");
    const received: ReceivedRequest = {
      method: request.method ?? "",
      path: request.url ?? "",
      headers: request.headers,
      body: text === "" ? undefined : (JSON.parse(text) as Record<string, unknown>),
    };
    requests.push(received);
    const played = script(received);
    if ("hang" in played) return;
    if ("frames" in played) {
      response.writeHead(200, { "content-type": "text/event-stream" });
      for (const frame of played.frames)
        response.write(`data: ${typeof frame === "string" ? frame : JSON.stringify(frame)}\n\n`);
      response.end();
      return;
    }
    const [type, body] =
      "json" in played
        ? ["application/json", JSON.stringify(played.json)]
        : [played.type ?? "text/plain", played.text];
    response.writeHead(played.status ?? 200, { "content-type": type });
    response.end(body);
  }

  const server = createServer((request, response) => {
    answer(request, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    play: (next) => {
      script = next;
    },
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}
