import { once } from "node:events";
import { createServer as createHttpServer } from "node:http";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";
import { afterAll, describe, expect, it } from "vitest";
import { createUpstreamClient } from "./http.ts";
import { TransportError } from "./transport-error.ts";
import { openWebSocket } from "./web-socket.ts";

const servers: Server[] = [];
const sockets = new Set<Socket>();
const upstream = createUpstreamClient();
afterAll(async () => {
  for (const socket of sockets) socket.destroy();
  for (const server of servers) server.close();
  await upstream.close();
});

/** Starts a server that handles every connection with `serve`. Returns its port. */
async function listening(serve: (socket: Socket) => void): Promise<number> {
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on("error", () => {});
    serve(socket);
  });
  servers.push(server);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return (server.address() as AddressInfo).port;
}

/** A port that nothing listens on. */
const closed = 1;

const silent = () => {};
/** Sends the next word on every message it receives. */
const saying =
  (...words: (string | Buffer)[]) =>
  (socket: Socket) => {
    socket.on("data", () => {
      const word = words.shift();
      if (word !== undefined) socket.write(word);
    });
  };
const noPassword = Buffer.from([5, 0]);
const opened = Buffer.from([5, 0, 0, 1, 0, 0, 0, 0, 0, 0]);
const refused = Buffer.from([5, 2, 0, 1, 0, 0, 0, 0, 0, 0]);

const failing: [string, () => string | Promise<string>, "timeout" | "network"][] = [
  ["http: nobody is there", () => `http://127.0.0.1:${closed}`, "network"],
  ["http: silence", async () => `http://127.0.0.1:${await listening(silent)}`, "timeout"],
  [
    "http: half a word",
    async () => `http://127.0.0.1:${await listening(saying("HTTP/1.1 200 "))}`,
    "timeout",
  ],
  [
    "http: a refusal",
    async () => `http://127.0.0.1:${await listening(saying("HTTP/1.1 502 No\r\n\r\n"))}`,
    "network",
  ],
  [
    "http: hung up",
    async () =>
      `http://127.0.0.1:${await listening((socket) => socket.once("data", () => socket.destroy()))}`,
    "network",
  ],
  [
    "http: silence behind it",
    async () => `http://127.0.0.1:${await listening(saying("HTTP/1.1 200 OK\r\n\r\n"))}`,
    "timeout",
  ],
  ["https: silence instead of TLS", async () => `https://127.0.0.1:${await listening(silent)}`, "timeout"],
  [
    "https: no TLS",
    async () => `https://127.0.0.1:${await listening(saying("HTTP/1.1 400 Bad\r\n\r\n"))}`,
    "network",
  ],
  ["socks5: nobody is there", () => `socks5://127.0.0.1:${closed}`, "network"],
  ["socks5: silence", async () => `socks5://127.0.0.1:${await listening(silent)}`, "timeout"],
  [
    "socks5: silence after the greeting",
    async () => `socks5://127.0.0.1:${await listening(saying(noPassword))}`,
    "timeout",
  ],
  [
    "socks5: a refusal",
    async () => `socks5://127.0.0.1:${await listening(saying(noPassword, refused))}`,
    "network",
  ],
  [
    "socks5: silence behind it",
    async () => `socks5://127.0.0.1:${await listening(saying(noPassword, opened))}`,
    "timeout",
  ],
  ["socks5h: nobody is there", () => `socks5h://127.0.0.1:${closed}`, "network"],
];

const patient = {
  connectTimeoutMs: 10_000,
  firstByteTimeoutMs: 10_000,
  idleTimeoutMs: 10_000,
  headers: {},
  signal: undefined,
};
/** Only the tests of silence use short time limits. The others allow for a slow machine. */
const timesOf = (kind: "timeout" | "network") =>
  kind === "network"
    ? patient
    : { ...patient, connectTimeoutMs: 300, firstByteTimeoutMs: 300, idleTimeoutMs: 300 };

describe("a proxy that does not work", () => {
  it.concurrent.each(failing)("fails a call in time, %s", async (_name, proxy, kind) => {
    const sent = upstream.send({
      ...timesOf(kind),
      url: "https://upstream.invalid/v1/models",
      method: "GET",
      body: null,
      proxy: await proxy(),
    });
    await expect(sent).rejects.toMatchObject({ name: "TransportError", kind });
  });

  it.concurrent.each(failing)("fails a WebSocket in time, %s", async (_name, proxy, kind) => {
    const opening = openWebSocket({
      ...timesOf(kind),
      url: "wss://upstream.invalid/v1/realtime",
      proxy: await proxy(),
      maxMessage: 10,
    });
    await expect(opening).rejects.toMatchObject({ name: "TransportError", kind });
  });
});

describe("a cancelled WebSocket", () => {
  it("does not wait while its proxy is silent", async () => {
    const left = new AbortController();
    const opening = openWebSocket({
      ...patient,
      connectTimeoutMs: 60_000,
      url: "wss://upstream.invalid/v1/realtime",
      proxy: `http://127.0.0.1:${await listening(silent)}`,
      maxMessage: 10,
      signal: left.signal,
    });
    setTimeout(() => left.abort(), 50);
    await expect(opening).rejects.toBeInstanceOf(TransportError);
    await expect(opening).rejects.toMatchObject({ kind: "aborted" });
  });
});

describe("a working proxy", () => {
  it.each(["socks5", "socks5h"])("receives host names, not addresses, %s", async (scheme) => {
    const target = createHttpServer((_request, response) => response.end("found"));
    servers.push(target);
    target.listen(0, "127.0.0.1");
    await once(target, "listening");
    const { port } = target.address() as AddressInfo;
    const requested: Buffer[] = [];
    const proxyPort = await listening((socket) => {
      socket.once("data", () => {
        socket.write(noPassword);
        socket.once("data", (wanted: Buffer) => {
          requested.push(wanted);
          const onward = connect(port, "127.0.0.1", () => {
            socket.write(opened);
            socket.pipe(onward).pipe(socket);
          });
          onward.on("error", () => {});
          sockets.add(onward);
        });
      });
    });
    const answer = await upstream.send({
      ...patient,
      url: "http://upstream.invalid/v1/models",
      method: "GET",
      body: null,
      proxy: `${scheme}://127.0.0.1:${proxyPort}`,
    });
    expect(await answer.text(100)).toBe("found");
    expect(requested.map((each) => each.toString("latin1"))).toEqual([
      expect.stringContaining("upstream.invalid"),
    ]);
  });
});
