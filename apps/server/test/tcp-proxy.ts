import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";

/**
 * A proxy in front of a service. It can stop forwarding without closing connections, as when a host fails.
 */
export interface TcpProxy {
  /** The service's address through the proxy. */
  url: string;
  /**
   * Stops forwarding on the currently open connections; later ones are not affected. `resume` delivers the
   * withheld data.
   * @param direction the blocked direction
   */
  silence(direction?: "both" | "to-server" | "to-client"): void;
  /** Accepts new connections without forwarding anything. */
  silenceNew(on: boolean): void;
  /** Ends new connections at once, as a service does that is not ready. */
  refuseNew(on: boolean): void;
  /** Delivers the withheld data, in order. */
  resume(): void;
  /** Resets every connection. */
  cut(): void;
  /** Forwards later connections to another address. */
  retarget(target: string): void;
  /** Number of open connections. */
  count(): number;
  /** Number of connections that clients have opened so far, refused ones included. */
  opened(): number;
  close(): Promise<void>;
}

interface Pair {
  client: Socket;
  server: Socket;
}

export async function startTcpProxy(target: string): Promise<TcpProxy> {
  let { hostname, port } = new URL(target);
  const pairs = new Set<Pair>();
  let silentFromStart = false;
  let refusesNew = false;
  let opened = 0;
  const listener = createServer({ allowHalfOpen: true }, (client) => {
    opened += 1;
    if (refusesNew)
      return void client
        .on("error", () => {})
        .resume()
        .end();
    const server = connect({ host: hostname, port: Number(port), allowHalfOpen: true });
    const pair = { client, server };
    pairs.add(pair);
    const end = () => {
      pairs.delete(pair);
      client.destroy();
      server.destroy();
    };
    for (const socket of [client, server]) socket.on("error", () => {}).on("close", end);
    client.on("data", (bytes) => server.write(bytes)).on("end", () => server.end());
    server.on("data", (bytes) => client.write(bytes)).on("end", () => client.end());
    if (silentFromStart) {
      client.pause();
      server.pause();
    }
  });
  listener.listen(0, "127.0.0.1");
  await once(listener, "listening");
  const url = new URL(target);
  url.hostname = "127.0.0.1";
  url.port = String((listener.address() as { port: number }).port);
  return {
    url: url.href,
    silence(direction = "both") {
      for (const { client, server } of pairs) {
        if (direction !== "to-client") client.pause();
        if (direction !== "to-server") server.pause();
      }
    },
    silenceNew(on) {
      silentFromStart = on;
    },
    refuseNew(on) {
      refusesNew = on;
    },
    resume() {
      for (const { client, server } of pairs) {
        client.resume();
        server.resume();
      }
    },
    cut() {
      for (const { client, server } of pairs) {
        client.resetAndDestroy();
        server.resetAndDestroy();
      }
    },
    retarget(next) {
      ({ hostname, port } = new URL(next));
    },
    count: () => pairs.size,
    opened: () => opened,
    async close() {
      for (const { client, server } of pairs) {
        client.destroy();
        server.destroy();
      }
      listener.close();
      await once(listener, "close");
    },
  };
}
