import { once } from "node:events";
import { createServer, type IncomingMessage, request } from "node:http";
import type { AddressInfo } from "node:net";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { GatewayError } from "#errors.ts";
import { decompressedPieces } from "./compressed-body.ts";

const MEGABYTE = 1024 * 1024;
/** Bytes that arrived decompressed, and the reason of the error that ended them. */
let ended: { bytes: number; reason: unknown } | undefined;

/** Milliseconds that a sender may be silent. Only the test of silence shortens it. */
let silenceMs = 30_000;

async function read(incoming: IncomingMessage): Promise<void> {
  let bytes = 0;
  let reason: unknown;
  try {
    for await (const piece of decompressedPieces(incoming, "gzip", silenceMs)) bytes += piece.length;
  } catch (error) {
    reason = error instanceof GatewayError ? error.params["reason"] : error;
  }
  ended = { bytes, reason };
}

const server = createServer((incoming, response) => {
  void read(incoming).then(() => response.end());
});
beforeAll(async () => {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

function open() {
  const { port } = server.address() as AddressInfo;
  ended = undefined;
  return request({ port, method: "POST" }).on("error", () => {});
}

describe("a compressed body", () => {
  it("that expands too much ends, and its sender gets a response", async () => {
    const sent = open();
    sent.end(gzipSync(Buffer.alloc(64 * MEGABYTE)));
    const [response] = (await once(sent, "response")) as [IncomingMessage];
    expect(response.statusCode).toBe(200);
    response.resume();
    expect(ended?.reason).toBe("body_expands");
    expect(ended?.bytes).toBeLessThan(5 * MEGABYTE);
  });

  it("whose sender leaves, stops sending or sends something else ends", async () => {
    const half = gzipSync(Buffer.from("word ".repeat(10_000))).subarray(0, 40);
    const left = open();
    left.write(half, () => left.destroy());
    await expect.poll(() => ended?.reason).toBe("client_left_body");
    silenceMs = 50;
    const silent = open();
    silent.write(half);
    await expect.poll(() => ended?.reason).toBe("body_too_slow");
    silent.destroy();
    silenceMs = 30_000;
    open().end(half);
    await expect.poll(() => ended?.reason).toBe("body_not_decompressed");
    open().end("no gzip");
    await expect.poll(() => ended?.reason).toBe("body_not_decompressed");
  });
});
