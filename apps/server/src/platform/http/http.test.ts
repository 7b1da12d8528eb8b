import { createServer, type Server, type Socket } from "node:net";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createUpstreamClient, type UpstreamClient } from "./http.ts";

/** Idle connections between two calls, and a provider that closes them at any time. */
const answer = "HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\ncontent-length: 2\r\n\r\nhi";

let server: Server;
let client: UpstreamClient;
let sockets: Set<Socket>;
/** Number of requests on each connection, in the order in which the connections were opened. */
let requested: number[];
/** What the provider does with a request, by the number of its connection and of the request on it. */
let serve: (connection: number, request: number) => string | undefined;

/** Time the provider waits before it hangs up without a response, in milliseconds. */
let thinks: number;

beforeEach(async () => {
  requested = [];
  thinks = 0;
  sockets = new Set();
  // The second call must reuse the connection of the first.
  client = createUpstreamClient({ connections: 1 });
  server = createServer((socket) => {
    const connection = requested.push(0);
    sockets.add(socket);
    socket.on("error", () => {});
    socket.on("data", (bytes) => {
      if (!bytes.toString("latin1").includes("\r\n\r\n")) return;
      const request = (requested[connection - 1] ?? 0) + 1;
      requested[connection - 1] = request;
      const text = serve(connection, request);
      if (text === undefined) setTimeout(() => socket.end(), thinks);
      else socket.write(text);
    });
  });
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
});
afterEach(async () => {
  await client.close();
  for (const socket of sockets) socket.destroy();
  await new Promise((resolve) => server.close(resolve));
});

async function ask(firstByteTimeoutMs = 5_000): Promise<string> {
  const { port } = server.address() as { port: number };
  const response = await client.send({
    url: `http://127.0.0.1:${port}/`,
    method: "POST",
    headers: {},
    body: "x",
    proxy: "",
    connectTimeoutMs: 5_000,
    firstByteTimeoutMs,
    idleTimeoutMs: 5_000,
    signal: undefined,
  });
  return response.text(1_000);
}

describe("a connection that the provider closed while it was idle", () => {
  it("does not fail the call that meets it", async () => {
    serve = (_connection, request) => (request === 1 ? answer : undefined);
    expect([await ask(), await ask()]).toEqual(["hi", "hi"]);
    expect(requested).toEqual([2, 1]);
  });

  it("is distinguished from a provider that does not respond, which gets the request only once", async () => {
    serve = () => undefined;
    await expect(ask()).rejects.toMatchObject({ kind: "network" });
    expect(requested).toEqual([1]);
  });

  it("is distinguished from a provider that hangs up after it has read the request", async () => {
    serve = (_connection, request) => (request === 1 ? answer : undefined);
    thinks = 1_200;
    expect(await ask()).toBe("hi");
    await expect(ask()).rejects.toMatchObject({ kind: "network" });
    expect(requested).toEqual([2]);
  });

  it("is retried only once in a call", async () => {
    serve = (connection, request) => (connection === 1 && request === 1 ? answer : undefined);
    expect(await ask()).toBe("hi");
    await expect(ask()).rejects.toMatchObject({ kind: "network" });
    expect(requested).toEqual([2, 1]);
  });
});

describe("interim responses", () => {
  const interim = "HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n";

  it("precede the response", async () => {
    serve = () => interim.repeat(3) + answer;
    expect(await ask()).toBe("hi");
  });

  it("do not extend the time to the first byte", async () => {
    serve = () => {
      for (const socket of sockets) {
        const drip = setInterval(() => socket.write(interim), 10);
        socket.on("close", () => clearInterval(drip));
      }
      return interim;
    };
    await expect(ask(100)).rejects.toMatchObject({ kind: "timeout" });
  });
});
