import { createServer, request as send, type IncomingMessage } from "node:http";
import { type AddressInfo, connect } from "node:net";

/** A request of a client, as it passed between client and gateway. */
export interface Passed {
  method: string;
  path: string;
  /** 0 when the connection ended without a status. */
  status: number;
  /** The beginning of a refusal. */
  refusal?: string;
}

export interface Recorder {
  url: string;
  /** Returns the requests since the last call. */
  take(): Passed[];
  close(): Promise<void>;
}

const REFUSAL_BYTES = 2_000;

/** Starts a proxy before the gateway that records what clients request, WebSockets included. */
export async function startRecorder(gateway: string): Promise<Recorder> {
  const { hostname, port } = new URL(gateway);
  let passed: Passed[] = [];
  const note = (request: IncomingMessage): Passed => {
    const one: Passed = { method: request.method ?? "GET", path: request.url ?? "/", status: 0 };
    passed.push(one);
    return one;
  };
  const server = createServer((request, response) => {
    const one = note(request);
    const { method, url: path, headers } = request;
    const onward = send({ hostname, port, method, path, headers }, (answer) => {
      one.status = answer.statusCode ?? 0;
      response.writeHead(one.status, answer.headers);
      if (one.status >= 400)
        answer.on("data", (bytes: Buffer) => {
          one.refusal = ((one.refusal ?? "") + bytes.toString("utf8")).slice(0, REFUSAL_BYTES);
        });
      answer.pipe(response);
      answer.once("error", () => response.destroy());
    });
    onward.once("error", () => response.destroy());
    response.once("close", () => onward.destroy());
    request.pipe(onward);
  });
  server.on("upgrade", (request, socket, head) => {
    const one = note(request);
    const onward = connect(Number(port), hostname, () => {
      const lines = [`${request.method} ${request.url} HTTP/1.1`];
      for (let at = 0; at < request.rawHeaders.length; at += 2)
        lines.push(`${request.rawHeaders[at]}: ${request.rawHeaders[at + 1]}`);
      onward.write(`${lines.join("\r\n")}\r\n\r\n`);
      onward.write(head);
      socket.pipe(onward);
      onward.pipe(socket);
    });
    onward.once("data", (bytes) => {
      one.status = Number(/^HTTP\/1\.1 (\d+)/.exec(bytes.toString("latin1"))?.[1] ?? 0);
    });
    onward.once("error", () => socket.destroy());
    socket.once("error", () => onward.destroy());
    socket.once("close", () => onward.destroy());
  });
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    take() {
      const taken = passed;
      passed = [];
      return taken;
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
