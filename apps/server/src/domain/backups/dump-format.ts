/**
 * The content of a backup, before compression and encryption. It is text, so that it can be read without this
 * program: a line of JSON with the header, then per table a line of JSON and its rows in the text format of
 * Postgres' COPY, ended by a line `\.`, then a line of JSON with the trailer. A backup without a trailer is
 * incomplete.
 */
import { z } from "zod";

/** The end of the rows of a table: COPY writes a backslash in a value as two. */
export const endOfRows = Buffer.from("\\.\n");

/** Maximum length of a line of JSON, in bytes. */
export const longestLineBytes = 16_000_000;

const name = z.string().min(1).max(63);

export const DumpHeader = z.object({
  format: z.literal("gateway-backup"),
  formatVersion: z.literal(1),
  /** Version of the gateway that wrote it. */
  version: z.string().max(64),
  createdAt: z.iso.datetime(),
  /** Applied migrations, in the order of their names. */
  migrations: z.array(z.object({ name: z.string().max(255), checksum: z.string().length(64) })),
  /** Days of the partitioned tables, like `request_logs_20261121`. */
  partitions: z.array(z.string().regex(/^request_(logs|bodies)_\d{8}$/)),
});
export type DumpHeader = z.infer<typeof DumpHeader>;

export const DumpTable = z.object({ table: name, columns: z.array(name).min(1) });
export type DumpTable = z.infer<typeof DumpTable>;

export const DumpTrailer = z.object({
  tables: z.array(z.object({ table: name, rows: z.int().min(0), sha256: z.string().length(64) })),
  sequences: z.array(z.object({ name, last: z.string().regex(/^\d{1,19}$/) })),
});
export type DumpTrailer = z.infer<typeof DumpTrailer>;
