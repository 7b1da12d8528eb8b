import { randomUUIDv7 } from "node:crypto";
import { STATUS_CODES } from "node:http";
import type { Socket } from "node:net";
import type { ConnectionError } from "fastify";
import { dialects } from "#dialects/index.ts";
import { GatewayError, invalidRequest } from "#errors.ts";
import { securityHeaders } from "./answer-headers.ts";
import { shapeOf } from "./error-shape.ts";

/**
 * Responds to a request that Node could not parse, and closes the connection. Logs nothing of it: `rawPacket`
 * is the request itself, including keys.
 */
export function answerMalformedRequest(error: ConnectionError, socket: Socket): void {
  if (error.code === "ECONNRESET" || socket.destroyed || !socket.writable) {
    socket.destroy();
    return;
  }
  const named = nameOf(error);
  const url = /^[A-Z]+ (\S+)/.exec(packetOf(error).toString("latin1", 0, 2_000))?.[1] ?? "";
  const { status, body } = (shapeOf(url) ?? dialects["openai-chat"]).encodeError(named, randomUUIDv7());
  const text = JSON.stringify(body);
  const headers = {
    "content-type": "application/json; charset=utf-8",
    "content-length": String(Buffer.byteLength(text)),
    connection: "close",
    ...securityHeaders,
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ""}\r\n${lines.join("")}\r\n${text}`);
}

/** Returns the raw packet, which is a buffer despite Fastify's type. */
function packetOf({ rawPacket }: ConnectionError): Buffer {
  return Buffer.isBuffer(rawPacket) ? rawPacket : Buffer.alloc(0);
}

function nameOf({ code }: Pick<ConnectionError, "code">): GatewayError {
  switch (code) {
    case "ERR_HTTP_REQUEST_TIMEOUT":
      return new GatewayError("request_timeout", { reason: "request_too_slow" });
    case "HPE_HEADER_OVERFLOW":
      return new GatewayError("headers_too_large");
    default:
      return invalidRequest({ reason: "not_http" });
  }
}
