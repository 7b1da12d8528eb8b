import { createServer, type IncomingMessage, request } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, it } from "vitest";
import { piecesInTime, SLOWEST_FORM } from "./sender-pace.ts";
import { withoutTimeLimit } from "./time-limit.ts";

it("a body without the server's time limit is received whole, and the limit holds again after the last of them", async () => {
  const server = createServer(
    { requestTimeout: 300, headersTimeout: 300, connectionsCheckingInterval: 50 },
    (incoming, response) =>
      void receive(incoming).then(
        (bytes) => response.end(String(bytes)),
        // Cut off by the server.
        () => {},
      ),
  );
  async function receive(incoming: IncomingMessage): Promise<number> {
    const pieces = piecesInTime(incoming, SLOWEST_FORM);
    let bytes = 0;
    for await (const piece of incoming.url === "/file" ? withoutTimeLimit(server, pieces) : pieces)
      bytes += piece.length;
    return bytes;
  }
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  const { port } = server.address() as AddressInfo;
  const send = async (path: string, pieces: number) => {
    const sent = request({ port, method: "POST", path });
    const status = new Promise<number | undefined>((resolve) => {
      sent.on("response", (response) => resolve(response.resume().statusCode)).on("error", () => resolve(0));
    });
    for (let piece = 0; piece < pieces && !sent.destroyed; piece += 1) {
      sent.write(" ");
      await sleep(50);
    }
    sent.end();
    return status;
  };
  expect(await Promise.all([send("/file", 12), send("/file", 20)])).toEqual([200, 200]);
  expect(server.requestTimeout).toBe(300);
  expect(await send("/other", 20)).toBe(408);
  server.close();
});
