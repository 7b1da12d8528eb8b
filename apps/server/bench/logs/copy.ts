/**
 * COPY … FROM STDIN over a client of the pool. The driver supports the protocol, but has no stream for it.
 */
import { once } from "node:events";
import pg from "pg";

interface CopyingConnection extends pg.Connection {
  sendCopyFromChunk(chunk: Buffer): void;
  endCopyFrom(): void;
  sendCopyFail(reason: string): void;
}

class CopyIn extends pg.Query {
  #chunks: Iterable<string>;
  #over = false;

  constructor(text: string, chunks: Iterable<string>, done: (error: Error | undefined) => void) {
    super(text, (error) => {
      this.#over = true;
      done(error ?? undefined);
    });
    this.#chunks = chunks;
  }

  /** Called by the driver when the server is ready for data. */
  handleCopyInResponse(connection: CopyingConnection): void {
    this.#send(connection).catch((error: unknown) => connection.sendCopyFail(String(error)));
  }

  async #send(connection: CopyingConnection): Promise<void> {
    for (const chunk of this.#chunks) {
      // The server rejected earlier data.
      if (this.#over) return;
      connection.sendCopyFromChunk(Buffer.from(chunk));
      if (connection.stream.writableNeedDrain) await once(connection.stream, "drain");
    }
    connection.endCopyFrom();
  }
}

/**
 * Copies rows into a table.
 * @param table with its columns, as SQL
 * @param chunks lines of COPY's text format, any number in each
 */
export async function copyInto(
  client: pg.PoolClient,
  table: string,
  chunks: Iterable<string>,
): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    client.query(
      new CopyIn(`COPY ${table} FROM STDIN`, chunks, (error) =>
        error === undefined ? resolve() : reject(error),
      ),
    );
  });
}
