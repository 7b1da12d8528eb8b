import { once } from "node:events";
import { createWriteStream } from "node:fs";
import { mkdir, readdir } from "node:fs/promises";
import { join, resolve } from "node:path";
import { finished } from "node:stream/promises";
import { csvCell } from "@gateway/shared/csv-cell";
import { type Command, Option } from "commander";
import { type CommonOptions, confirm, runOn, type Terminal } from "#cli/command.ts";
import { exportTables, rowCounts, rowsOf } from "#cli/export-rows.ts";
import { CommandFailure, ExitCode } from "#cli/failure.ts";
import { operatorOf } from "#cli/operator.ts";
import { createProgress } from "#cli/progress.ts";
import { writeAudit } from "#domain/audit-log/audit.ts";
import { bookCharges } from "#domain/ledger/bookings/book-charges.ts";

/** Rows between two reports of the progress. */
const noteEvery = 1_000;

interface ExportOptions extends CommonOptions {
  to: string;
  format: "jsonl" | "csv";
  withSecrets?: boolean;
  tables?: string;
}

/** `gateway export`: a folder with one file per table. */
export function exportCommand(program: Command, terminal: Terminal): void {
  program
    .command("export")
    .description(
      "Exports all data to a folder, one file per table, without passwords, keys and other secrets.",
    )
    .requiredOption("--to <folder>", "the folder; it must be empty or not exist yet")
    .addOption(
      new Option("--format <format>", "format of the files").choices(["jsonl", "csv"]).default("jsonl"),
    )
    .option("--tables <names>", "only these tables, separated by commas")
    .option(
      "--with-secrets",
      "include API keys, provider keys, codes and settings in plain text; recorded in the audit log",
    )
    .option("--yes", "do not ask")
    .option("--json", "print JSON")
    .action((options: ExportOptions) =>
      runOn(terminal, options, async (installation) => {
        const { db, pool } = installation.database;
        const tables = await selectTables(pool, options.tables);
        const folder = await emptyFolder(options.to);
        const secrets = options.withSecrets === true ? await installation.secrets() : undefined;
        if (secrets !== undefined) {
          await confirm(terminal, options, "The files will hold keys and secrets in the clear. Continue?");
          const actor = await operatorOf(db);
          // Before the first file: who stops the command half way has seen secrets, too.
          await writeAudit(db, {
            actor,
            action: "export.secrets",
            targetType: "export",
            targetId: folder,
            after: { tables },
          });
        }
        await bookCharges(db);
        const counts: Record<string, number> = {};
        const progress = createProgress(terminal, await rowCounts(pool, tables));
        try {
          for (const table of tables) {
            counts[table] = await write(
              join(folder, `${table}.${options.format}`),
              options.format,
              rowsOf(pool, table, secrets),
              (rows) => progress.note(table, rows),
            );
          }
        } finally {
          progress.end();
        }
        const total = Object.values(counts).reduce((sum, count) => sum + count, 0);
        return {
          json: { folder, counts },
          text: `${total} rows of ${tables.length} tables are in ${folder}.`,
        };
      }),
    );
}

async function selectTables(
  pool: Parameters<typeof exportTables>[0],
  names: string | undefined,
): Promise<string[]> {
  const all = await exportTables(pool);
  if (names === undefined) return all;
  const wanted = names.split(",").map((name) => name.trim());
  const unknown = wanted.filter((name) => !all.includes(name));
  if (unknown.length === 0) return wanted;
  throw new CommandFailure(
    `There is no table ${unknown.join(", ")}. Tables: ${all.join(", ")}`,
    ExitCode.usage,
  );
}

async function emptyFolder(path: string): Promise<string> {
  const folder = resolve(path);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  if ((await readdir(folder)).length > 0)
    throw new CommandFailure(`${folder} is not empty. Name a folder that is empty or does not exist yet.`);
  return folder;
}

async function write(
  file: string,
  format: ExportOptions["format"],
  rows: AsyncIterable<Record<string, unknown>>,
  onProgress: (rows: number) => void,
): Promise<number> {
  const stream = createWriteStream(file, { mode: 0o600 });
  const failed = new Promise<never>((_, reject) => stream.once("error", reject));
  failed.catch(() => undefined);
  let count = 0;
  for await (const row of rows) {
    const lines = format === "jsonl" ? [JSON.stringify(row)] : csvLines(row, count === 0);
    count += 1;
    if (count % noteEvery === 0) onProgress(count);
    if (!stream.write(`${lines.join("\n")}\n`)) await Promise.race([once(stream, "drain"), failed]);
  }
  stream.end();
  await finished(stream);
  onProgress(count);
  return count;
}

function csvLines(row: Record<string, unknown>, isFirst: boolean): string[] {
  const cells = Object.values(row).map((value) =>
    csvCell(typeof value === "string" ? value : value === null ? "" : JSON.stringify(value)),
  );
  return [...(isFirst ? [Object.keys(row).map(csvCell).join(",")] : []), cells.join(",")];
}
