import { createHash } from "node:crypto";
import { z } from "zod";
import { GatewayError } from "#errors.ts";
import { DumpHeader, DumpTable, DumpTrailer, endOfRows, longestLineBytes } from "./dump-format.ts";

export interface DumpContent {
  header: DumpHeader;
  trailer: DumpTrailer;
}

/** What is done with the content while it is read. */
export interface DumpConsumer {
  /** Called once, before the first table. */
  begin?(header: DumpHeader): Promise<void>;
  /** Must read the rows to their end. Returns how many it stored. */
  table(table: DumpTable, rows: AsyncIterable<Buffer>): Promise<number>;
}

/**
 * Reads a backup to its end, and compares every table with the checksum and the number of rows that its writer noted.
 * Rejects with `backup_cut` or `backup_changed`.
 * @param file name for messages
 */
export async function readDump(
  source: AsyncIterable<Buffer>,
  file: string,
  consumer: DumpConsumer,
): Promise<DumpContent> {
  const input = new DumpInput(source, file);
  try {
    return await readContent(input, file, consumer);
  } finally {
    await input.close();
  }
}

async function readContent(input: DumpInput, file: string, consumer: DumpConsumer): Promise<DumpContent> {
  const header = await input.json(DumpHeader);
  await consumer.begin?.(header);
  const found: DumpTrailer["tables"] = [];
  for (;;) {
    const line = await input.json(z.union([DumpTable, DumpTrailer]));
    if ("sequences" in line) {
      compare(found, line, file);
      await input.requireEnd();
      return { header, trailer: line };
    }
    const hash = createHash("sha256");
    const rows = await consumer.table(line, hashRows(input.rows(), hash));
    found.push({ table: line.table, rows, sha256: hash.digest("hex") });
  }
}

/** Counts rows and stores nothing: checks that a backup can be read. */
export const countingConsumer: DumpConsumer = {
  async table(_table, rows) {
    let count = 0;
    // A line break in a value is written as \n, so each one ends a row.
    for await (const chunk of rows)
      for (let at = chunk.indexOf(10); at !== -1; at = chunk.indexOf(10, at + 1)) count += 1;
    return count;
  },
};

async function* hashRows(
  rows: AsyncIterable<Buffer>,
  hash: ReturnType<typeof createHash>,
): AsyncGenerator<Buffer> {
  for await (const chunk of rows) {
    hash.update(chunk);
    yield chunk;
  }
}

function compare(found: DumpTrailer["tables"], { tables }: DumpTrailer, file: string): void {
  const expected = new Map(tables.map((table) => [table.table, table]));
  for (const { table, rows, sha256 } of found) {
    const wanted = expected.get(table);
    if (wanted?.rows !== rows || wanted.sha256 !== sha256)
      throw new GatewayError("conflict", { reason: "backup_changed", file, table });
  }
  if (found.length !== tables.length) throw cutFile(file, "tables are missing");
}

/** Returns the error for a backup that ends early or cannot be decoded. */
export function cutFile(file: string, detail: string, cause?: unknown): GatewayError {
  return new GatewayError("conflict", { reason: "backup_cut", file, detail }, { cause });
}

/** The bytes of a dump as lines and rows. Memory: one line, or one chunk of rows. */
class DumpInput {
  readonly #source: AsyncIterator<Buffer>;
  readonly #file: string;
  #rest: Buffer = Buffer.alloc(0);

  constructor(source: AsyncIterable<Buffer>, file: string) {
    this.#source = source[Symbol.asyncIterator]();
    this.#file = file;
  }

  /** Reads a line of JSON. */
  async json<T>(schema: z.ZodType<T>): Promise<T> {
    const parts: Buffer[] = [];
    let length = 0;
    for (;;) {
      const end = this.#rest.indexOf(10);
      const part = end === -1 ? this.#rest : this.#rest.subarray(0, end);
      parts.push(part);
      length += part.length;
      if (length > longestLineBytes) throw cutFile(this.#file, "a line is too long");
      if (end !== -1) {
        this.#rest = this.#rest.subarray(end + 1);
        return this.#parse(Buffer.concat(parts).toString("utf8"), schema);
      }
      this.#rest = await this.#more();
    }
  }

  #parse<T>(text: string, schema: z.ZodType<T>): T {
    let value: unknown;
    try {
      value = JSON.parse(text);
    } catch (error) {
      throw cutFile(this.#file, "a line is not JSON", error);
    }
    const parsed = schema.safeParse(value);
    if (parsed.success) return parsed.data;
    throw cutFile(this.#file, "a line has unknown content", parsed.error);
  }

  /** Yields the rows of a table without the line that ends them. */
  async *rows(): AsyncGenerator<Buffer> {
    let isLineStart = true;
    for (;;) {
      const end = this.#endOfRows(isLineStart);
      if (end !== undefined) {
        if (end > 0) yield this.#rest.subarray(0, end);
        this.#rest = this.#rest.subarray(end + endOfRows.length);
        return;
      }
      // The end may be split between this chunk and the next.
      const safe = Math.max(0, this.#rest.length - endOfRows.length);
      if (safe > 0) {
        const part = this.#rest.subarray(0, safe);
        isLineStart = part[part.length - 1] === 10;
        this.#rest = this.#rest.subarray(safe);
        yield part;
      }
      this.#rest = Buffer.concat([this.#rest, await this.#more()]);
    }
  }

  /** Returns where the line `\.` begins. The same bytes within a line belong to a value. */
  #endOfRows(isLineStart: boolean): number | undefined {
    for (let at = this.#rest.indexOf(endOfRows); at !== -1; at = this.#rest.indexOf(endOfRows, at + 1)) {
      if (at === 0 ? isLineStart : this.#rest[at - 1] === 10) return at;
    }
    return undefined;
  }

  async requireEnd(): Promise<void> {
    const next = await this.#source.next();
    if (this.#rest.length > 0 || next.done !== true) throw cutFile(this.#file, "it continues after its end");
  }

  /** Ends the source when it was not read to its end. */
  async close(): Promise<void> {
    await this.#source.return?.();
  }

  async #more(): Promise<Buffer> {
    const next = await this.#source.next();
    if (next.done === true) throw cutFile(this.#file, "it ends too early");
    return next.value;
  }
}
