import { once } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";
import pg from "pg";

/**
 * Starts a pooler that handles simple queries like pgbouncer. A client has a server connection for one
 * transaction (`transaction`) or until it disconnects (`session`). `statement` rejects transactions.
 */
export async function startPooler(target: string, mode: "session" | "transaction" | "statement") {
  const idle: pg.Client[] = [];
  const all: pg.Client[] = [];
  const sockets = new Set<Socket>();

  async function lend(): Promise<pg.Client> {
    const free = idle.pop();
    if (free !== undefined) return free;
    const made = new pg.Client({ connectionString: target });
    await made.connect();
    all.push(made);
    return made;
  }

  const server = createServer((socket) => {
    sockets.add(socket);
    let own: pg.Client | undefined;
    let isOpen = false;
    let started = false;
    let queued = Buffer.alloc(0);
    let work = Promise.resolve();

    async function answer(sql: string): Promise<void> {
      if (mode === "statement" && sql === "BEGIN") return refuse(socket);
      own ??= await lend();
      const { rows, fields } = await own.query<(string | number)[]>({ text: sql, rowMode: "array" });
      if (sql === "BEGIN") isOpen = true;
      if (sql === "COMMIT") isOpen = false;
      if (fields.length > 0) {
        const columns = fields.map(({ name, dataTypeID }) => {
          const tail = Buffer.alloc(18);
          tail.writeUInt32BE(dataTypeID, 6);
          return Buffer.concat([Buffer.from(`${name}\0`), tail]);
        });
        socket.write(message("T", Buffer.concat([uint16(columns.length), ...columns])));
      }
      for (const row of rows) {
        const cells = row.map((value) => {
          const text = Buffer.from(String(value));
          return Buffer.concat([uint32(text.length), text]);
        });
        socket.write(message("D", Buffer.concat([uint16(cells.length), ...cells])));
      }
      socket.write(Buffer.concat([message("C", "SELECT 1\0"), message("Z", isOpen ? "T" : "I")]));
      if (mode !== "session" && !isOpen) {
        idle.push(own);
        own = undefined;
      }
    }

    socket.on("error", () => undefined);
    socket.on("data", (data: Buffer) => {
      queued = Buffer.concat([queued, data]);
      for (;;) {
        const skip = started ? 1 : 0;
        if (queued.length < skip + 4) return;
        const length = skip + queued.readUInt32BE(skip);
        if (queued.length < length) return;
        const body = queued.subarray(skip + 4, length);
        const kind = String.fromCharCode(queued[0] ?? 0);
        queued = queued.subarray(length);
        if (!started) {
          started = true;
          socket.write(Buffer.concat([message("R", uint32(0)), message("Z", "I")]));
        } else if (kind === "Q") {
          const sql = body.subarray(0, -1).toString();
          work = work.then(() => answer(sql)).catch(() => void socket.destroy());
        } else if (kind === "X") socket.end();
      }
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = new URL(target);
  url.hostname = "127.0.0.1";
  url.port = String((server.address() as AddressInfo).port);
  return {
    url: url.href,
    async close() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await Promise.all(all.map((client) => client.end()));
    },
  };
}

function refuse(socket: Socket): void {
  const fields = "SERROR\0C08P01\0Mtransaction blocks not allowed in statement pooling mode\0\0";
  socket.write(Buffer.concat([message("E", fields), message("Z", "I")]));
}

function message(kind: string, body: string | Buffer): Buffer {
  const bytes = Buffer.from(body);
  return Buffer.concat([Buffer.from(kind), uint32(bytes.length + 4), bytes]);
}

function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}

function uint16(value: number): Buffer {
  const bytes = Buffer.alloc(2);
  bytes.writeUInt16BE(value);
  return bytes;
}
