import type { Command } from "commander";
import { type CommonOptions, confirm, runOn, type Terminal } from "#cli/command.ts";
import { CommandFailure, ExitCode } from "#cli/failure.ts";
import { createProgress } from "#cli/progress.ts";
import { warnVisible } from "#cli/secret-input.ts";
import { moveDatabase } from "#domain/backups/move-database.ts";
import { requireNoNodes } from "#domain/backups/require-no-nodes.ts";
import { describeAudit } from "#domain/ledger/balances/audit.ts";
import { describeDatabase, waitForDatabase } from "#platform/database/database-address.ts";
import { migrationsFolder } from "#platform/database/migrate.ts";
import { version } from "#version.ts";

interface MoveArguments extends CommonOptions {
  to?: string;
}

const patienceMs = 10_000;

/** `gateway move-database`: from the embedded Postgres to another one, or between two others. */
export function moveDatabaseCommand(program: Command, terminal: Terminal): void {
  program
    .command("move-database")
    .description("Copies all data into another, empty Postgres, and recomputes every balance there.")
    .option("--to <url>", "address of the new database (default: the variable NEW_DATABASE_URL)")
    .option("--yes", "do not ask")
    .option("--json", "print JSON")
    .action((options: MoveArguments) =>
      runOn(terminal, options, async ({ database, where, isEmbedded, secrets }) => {
        const url = targetOf(terminal, options);
        await requireNoNodes(database.pool);
        await waitForDatabase(url, { patienceMs, onWait: (line) => terminal.err(line) });
        const target = describeDatabase(url);
        await confirm(terminal, options, `Everything in ${where} is copied to ${target}. Continue?`);
        const progress = createProgress(terminal, new Map());
        try {
          const report = await moveDatabase(database.url, version, {
            url,
            migrations: migrationsFolder,
            secrets: await secrets(),
            onTable: (table, rows) => progress.note(table, rows),
          });
          const old = isEmbedded ? "the embedded database in DATA_DIR" : "the old database";
          return {
            json: { from: where, to: target, ...report },
            text: [
              `${report.rows} rows of ${report.tables} tables are in ${target}.`,
              describeAudit(report.audit),
              `Set DATABASE_URL to the new address and start the gateway. Keep the secret key. Delete ${old} when everything works.`,
            ].join("\n"),
          };
        } finally {
          progress.end();
        }
      }),
    );
}

function targetOf(terminal: Terminal, { to }: MoveArguments): string {
  const url = to ?? terminal.variables["NEW_DATABASE_URL"] ?? "";
  if (!/^postgres(ql)?:\/\//.test(url) || !URL.canParse(url))
    throw new CommandFailure(
      "Name the new database: --to postgres://user:password@host:5432/database, or the variable NEW_DATABASE_URL.",
      ExitCode.usage,
    );
  if (to !== undefined && new URL(url).password !== "")
    warnVisible(terminal, "the password in --to", "Use the variable NEW_DATABASE_URL instead.");
  return url;
}
