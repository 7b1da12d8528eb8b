import { zstdCompressSync } from "node:zlib";
import { ByteWriter, ParquetWriter } from "hyparquet-writer";
import { columnsOf, logSchema, type LogRowToExport } from "./log-columns.ts";

export interface ParquetFile {
  /** Adds rows as one row group. */
  add(rows: readonly LogRowToExport[]): void;
  /** Returns the bytes of the complete file. Nothing can be added afterwards. */
  finish(): Uint8Array;
}

/** Begins a Parquet file of the log. Its compressed bytes are in memory until it is complete. */
export function createParquetFile(): ParquetFile {
  const bytes = new ByteWriter();
  const writer = new ParquetWriter({
    writer: bytes,
    schema: logSchema,
    codec: "ZSTD",
    compressors: { ZSTD: (input) => zstdCompressSync(input) },
    createdBy: "gateway",
  });
  return {
    add(rows) {
      void writer.write({ columnData: columnsOf(rows), rowGroupSize: rows.length });
    },
    finish() {
      void writer.finish();
      return bytes.getBytes();
    },
  };
}
