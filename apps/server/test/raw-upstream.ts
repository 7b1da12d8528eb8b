import { createServer, type Socket } from "node:net";

/** What a provider's connection does after reading a request: the bytes it sends, and how it ends. */
export interface Script {
  /** All bytes on the wire, including status line and headers. */
  chunks: Iterable<string | Buffer> | AsyncIterable<string | Buffer>;
  /** `end` closes properly, `reset` resets the connection, `hang` stops sending. */
  ending: "end" | "reset" | "hang";
  /** Milliseconds between two chunks. */
  pauseMs?: number;
}

/** A provider at byte level. What it sends need not be HTTP. */
export interface RawUpstream {
  url: string;
  /** Sets the script of all following calls. */
  play(script: Script): void;
  /** Time at which the client closed the latest call's connection, or undefined. */
  leftAt(): number | undefined;
  calls(): number;
  close(): Promise<void>;
}

export async function startRawUpstream(): Promise<RawUpstream> {
  let script: Script = { chunks: [], ending: "end" };
  let leftAt: number | undefined;
  let calls = 0;
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    let text = "";
    let playing = false;
    let ours = false;
    socket.on("error", () => {});
    socket.on("close", () => {
      sockets.delete(socket);
      if (playing && !ours) leftAt = Date.now();
    });
    socket.on("data", (bytes) => {
      text += bytes.toString("latin1");
      const head = text.indexOf("\r\n\r\n");
      const length = Number(/content-length: *(\d+)/i.exec(text)?.[1] ?? 0);
      if (playing || head === -1 || text.length < head + 4 + length) return;
      playing = true;
      calls += 1;
      leftAt = undefined;
      void perform(socket, script).then((closed) => {
        ours = closed;
      });
    });
  });
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  return {
    url: `http://127.0.0.1:${port}`,
    play: (next) => {
      script = next;
    },
    leftAt: () => leftAt,
    calls: () => calls,
    close: () =>
      new Promise((resolve) => {
        for (const socket of sockets) socket.destroy();
        server.close(() => resolve());
      }),
  };
}

/** Returns true when this side closed the connection. */
async function perform(socket: Socket, { chunks, ending, pauseMs = 0 }: Script): Promise<boolean> {
  socket.setNoDelay(true);
  for await (const chunk of chunks) {
    if (socket.destroyed) return false;
    await new Promise<void>((resolve) => {
      socket.write(chunk, () => resolve());
    });
    if (pauseMs > 0) await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }
  if (ending === "hang" || socket.destroyed) return false;
  if (ending === "reset") socket.resetAndDestroy();
  else socket.end();
  return true;
}

/** Returns the head of a response without a length. It ends with its connection. */
export function head(type: string, headers: Record<string, string> = {}, status = 200): string {
  const lines = Object.entries({ "content-type": type, connection: "close", ...headers });
  return `HTTP/1.1 ${status} Whatever\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join("")}\r\n`;
}
