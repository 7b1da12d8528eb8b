import { randomBytes } from "node:crypto";
import type { IncomingMessage, Server } from "node:http";
import type { Duplex } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import { WebSocketServer } from "ws";
import { switchesInKey, switchesInModel } from "./answer/switches.ts";
import type { Call, CallLog } from "./calls.ts";
import type { Rules } from "./control.ts";
import { refusal } from "./faults.ts";
import { serveRealtime } from "./formats/realtime.ts";
import { isResponses } from "./responses-endpoint.ts";

const PATH = "/v1/realtime";
const MAX_MESSAGE = 32 * 1024 * 1024;

/**
 * Opens realtime sessions at `/v1/realtime?model=…`, or rejects them as the provider does. Returns a
 * function that ends them.
 */
export function openRealtime(server: Server, log: CallLog, rules: Rules): () => void {
  const sockets = new WebSocketServer({ noServer: true, maxPayload: MAX_MESSAGE });
  server.on("upgrade", (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    if (isResponses(request)) return;
    socket.on("error", () => socket.destroy());
    answer(request, socket, head).catch(() => socket.destroy());
  });

  return () => {
    for (const client of sockets.clients) client.terminate();
  };

  async function answer(request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    const { url = "/", headers, method = "GET" } = request;
    const address = new URL(url, "http://demo");
    const model = address.searchParams.get("model") ?? "";
    const key = (/^Bearer\s(.*)$/i.exec(headers.authorization ?? "")?.[1] ?? "").trim();
    const call: Call = {
      method,
      path: url,
      headers,
      key,
      body: {},
      time: Date.now(),
      endedAt: undefined,
      status: 0,
      aborted: false,
    };
    log.add(call, 0);
    const standing = {
      ...rules.take({ key, model, path: PATH }),
      ...switchesInKey(key),
      ...switchesInModel(model),
    };
    if (standing.delay !== undefined) await sleep(standing.delay);
    if (standing.cut === "start") {
      socket.destroy();
      return;
    }
    if (standing.hang === "start") return;
    const status = address.pathname === PATH && model !== "" ? standing.status : 404;
    if (status !== undefined || standing.noCredit === true) {
      const fault = { status: status ?? 429, noCredit: standing.noCredit, retryAfter: standing.retryAfter };
      call.status = refuse(socket, fault);
      call.endedAt = Date.now();
      return;
    }
    sockets.handleUpgrade(request, socket, head, (client) => {
      call.status = 101;
      const markEnded = () => {
        call.endedAt = Date.now();
        call.aborted = true;
      };
      const beta = (headers["openai-beta"] ?? "").includes("realtime=v1");
      serveRealtime(client, { model, beta, standing, closed: markEnded });
    });
  }
}

function refuse(socket: Duplex, fault: Parameters<typeof refusal>[1]): number {
  const { status, headers, body } = refusal("openai", fault, `req_${randomBytes(12).toString("hex")}`);
  const text = JSON.stringify(body);
  const lines = Object.entries({
    ...headers,
    "content-type": "application/json",
    "content-length": String(Buffer.byteLength(text)),
    connection: "close",
  }).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.end(`HTTP/1.1 ${status} Refused\r\n${lines.join("")}\r\n${text}`);
  return status;
}
