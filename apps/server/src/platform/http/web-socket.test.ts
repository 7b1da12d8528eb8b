import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type WebSocket, WebSocketServer } from "ws";
import { TransportError } from "./transport-error.ts";
import { type MessageSocket, openWebSocket, socketLimits } from "./web-socket.ts";

let server: Server;
let address: string;
let sockets: WebSocketServer;

beforeAll(async () => {
  server = createServer();
  sockets = new WebSocketServer({ noServer: true });
  server.on("upgrade", (request, socket, head) => {
    if (request.url === "/open")
      sockets.handleUpgrade(request, socket, head, (opened) => sockets.emit("connection", opened));
    else socket.end("HTTP/1.1 429 Slow\r\nretry-after: 7\r\ncontent-length: 4\r\n\r\nslow");
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  address = `ws://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => {
  for (const client of sockets.clients) client.terminate();
  server.close();
});

const patient = {
  headers: {},
  proxy: "",
  connectTimeoutMs: 10_000,
  firstByteTimeoutMs: 10_000,
  maxMessage: 1024 * 1024,
  signal: undefined,
};
/** An address that nothing listens on. */
const unreachable = { ...patient, url: "ws://127.0.0.1:1/" };

function ask(path: string, signal?: AbortSignal) {
  return openWebSocket({ ...patient, url: address + path, signal });
}

async function pair(): Promise<[MessageSocket, WebSocket]> {
  const [answer, [other]] = await Promise.all([ask("/open"), once(sockets, "connection")]);
  if (!("socket" in answer)) throw new Error("refused");
  return [answer.socket, other as WebSocket];
}

describe("a WebSocket to an upstream", () => {
  it("carries messages both ways, in order", async () => {
    const [ours, theirs] = await pair();
    theirs.on("message", (data: Buffer, binary: boolean) => theirs.send(data, { binary }));
    await ours.send("one");
    await ours.send(Buffer.from([0, 255]), true);
    const messages = ours.messages();
    expect((await messages.next()).value).toEqual({ data: Buffer.from("one"), binary: false });
    expect((await messages.next()).value).toEqual({ data: Buffer.from([0, 255]), binary: true });
    theirs.close(4001, "enough");
    expect(await messages.next()).toEqual({ done: true, value: undefined });
    expect(await ours.closed).toEqual({ code: 4001, reason: "enough" });
  });

  it("makes the sender wait while no one reads, and loses nothing", async () => {
    const [ours, theirs] = await pair();
    const count = 400;
    for (let index = 0; index < count; index += 1) theirs.send(`${index} ${"x".repeat(100_000)}`);
    let seen = -1;
    const isStill = () => seen === (seen = theirs.bufferedAmount);
    await expect.poll(isStill, { interval: 100 }).toBe(true);
    // 40 MB were sent. All but a few of them are still buffered by the sender.
    expect(theirs.bufferedAmount).toBeGreaterThan(20_000_000);
    let next = 0;
    for await (const { data } of ours.messages()) {
      expect(data.toString("utf8", 0, 8).split(" ")[0]).toBe(String(next));
      next += 1;
      if (next === count) ours.close(1000, "");
    }
    expect(next).toBe(count);
  });

  it("is closed by a flood of pings or pongs", async () => {
    for (const frame of ["ping", "pong"] as const) {
      const [ours, theirs] = await pair();
      const left = once(theirs, "close");
      for (let count = 0; count < 300; count += 1) theirs[frame]();
      // Without a closing frame where too many pongs wait.
      expect([1006, 1008], frame).toContain((await left)[0]);
      await ours.closed;
    }
  });

  it("is closed by a message in very many pieces", async () => {
    const [ours, theirs] = await pair();
    const left = once(theirs, "close");
    for (let count = 0; count <= socketLimits.maxFragments; count += 1) theirs.send("x", { fin: false });
    expect((await left)[0]).toBe(1008);
    await ours.closed;
  });

  it("is closed by a message that is too large", async () => {
    const [ours, theirs] = await pair();
    const left = once(theirs, "close");
    theirs.send("x".repeat(2 * 1024 * 1024));
    expect((await left)[0]).toBe(1009);
    await ours.closed;
  });

  it("returns the response of an upstream that rejects the connection", async () => {
    expect(await ask("/refused")).toMatchObject({
      status: 429,
      headers: { "retry-after": "7" },
      text: "slow",
    });
    await expect(openWebSocket(unreachable)).rejects.toThrow(TransportError);
  });

  it("can be cancelled while it is being opened", async () => {
    await expect(ask("/open", AbortSignal.abort())).rejects.toMatchObject({ kind: "aborted" });
  });
});
