import { Readable } from "node:stream";
import type { Reader } from "#platform/database/db.ts";
import type { ObjectStorage } from "#platform/storage/storage.ts";
import { nextHour } from "./hours.ts";
import { type LogRowToExport, readColumns } from "./log-columns.ts";
import { createParquetFile } from "./parquet-file.ts";

export interface ExportedHour {
  /** Begin of the hour. */
  hour: Date;
  rows: number;
  files: number;
  /** Size of the files. */
  bytes: number;
}

export interface Portions {
  /** Rows that are read at a time and become one row group. */
  groupRows: number;
  /** Row groups of a file. */
  fileGroups: number;
}

/** Together with the bytes of one file, this is what an export has in memory. */
const usual: Portions = { groupRows: 10_000, fileGroups: 10 };

/**
 * Writes the rows of one hour as files with fixed names, in the order of time and ID. An export of the same hour
 * replaces them. An hour without rows leaves what is stored as it is: retention may have deleted its rows.
 * @param signal ends the work between two portions, or during an upload
 */
export async function exportHour(
  reader: Reader,
  storage: ObjectStorage,
  hour: Date,
  signal: AbortSignal,
  { groupRows, fileGroups }: Portions = usual,
): Promise<ExportedHour> {
  const folder = folderOf(hour);
  const result: ExportedHour = { hour, rows: 0, files: 0, bytes: 0 };
  const groups = readGroups(reader, hour, groupRows);
  let group = await groups.next();
  while (group.done !== true) {
    const file = createParquetFile();
    for (let count = 0; count < fileGroups && group.done !== true; count += 1) {
      signal.throwIfAborted();
      file.add(group.value);
      result.rows += group.value.length;
      group = await groups.next();
    }
    const content = Readable.from([Buffer.from(file.finish())], { objectMode: false });
    result.bytes += await storage.write(`${folder}/${partName(result.files)}`, content, signal);
    result.files += 1;
  }
  if (result.files > 0) await removeParts(storage, folder, result.files);
  return result;
}

/** Returns the folder of an hour: `logs/date=2026-11-29/hour=07`. Times are UTC. */
export function folderOf(hour: Date): string {
  const text = hour.toISOString();
  return `logs/date=${text.slice(0, 10)}/hour=${text.slice(11, 13)}`;
}

function partName(index: number): string {
  return `part-${String(index).padStart(5, "0")}.parquet`;
}

/** Deletes the files that an earlier export of the hour has written beyond `count`. */
async function removeParts(storage: ObjectStorage, folder: string, count: number): Promise<void> {
  for (const { name } of await storage.list(folder)) {
    const [, index] = /^part-(\d{5,})\.parquet$/.exec(name) ?? [];
    if (index !== undefined && Number(index) >= count) await storage.remove(`${folder}/${name}`);
  }
}

/** Yields the rows of an hour in portions, each read by a statement of its own: no transaction stays open. */
async function* readGroups(reader: Reader, hour: Date, size: number): AsyncGenerator<LogRowToExport[]> {
  let last: Pick<LogRowToExport, "created_at" | "id"> = { created_at: hour, id: -1n };
  for (;;) {
    const { rows } = await reader.query<LogRowToExport>(
      `SELECT ${readColumns}
         FROM (SELECT * FROM request_logs WHERE created_at >= $1 AND created_at < $2 AND (created_at, id) > ($1, $3)
                ORDER BY created_at, id LIMIT $4) l
         LEFT JOIN channels c ON c.id = l.channel_id
        ORDER BY l.created_at, l.id`,
      [last.created_at, nextHour(hour), last.id, size],
    );
    if (rows.length > 0) yield rows;
    const end = rows.at(-1);
    if (end === undefined || rows.length < size) return;
    last = end;
  }
}
