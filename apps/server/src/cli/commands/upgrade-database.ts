import { resolve } from "node:path";
import type { Command } from "commander";
import { type CommonOptions, confirm, runCommand, type Terminal } from "#cli/command.ts";
import { CommandFailure, ExitCode } from "#cli/failure.ts";
import { createProgress } from "#cli/progress.ts";
import { moveDatabase } from "#domain/backups/move-database.ts";
import { describeAudit } from "#domain/ledger/balances/audit.ts";
import { currentTime } from "#platform/clock.ts";
import { migrationsFolder } from "#platform/database/migrate.ts";
import { obtainPostgres } from "#platform/database/old-postgres.ts";
import { findOlderCluster, upgradeCluster } from "#platform/database/upgrade-cluster.ts";
import { version } from "#version.ts";

interface UpgradeArguments extends CommonOptions {
  postgres?: string;
  acceptDrift?: boolean;
}

/** `gateway upgrade-database`: the embedded Postgres of an older major version becomes the bundled one. */
export function upgradeDatabaseCommand(program: Command, terminal: Terminal): void {
  program
    .command("upgrade-database")
    .description(
      "Moves the embedded database to the major version of Postgres that this version of the gateway brings, and recomputes every balance.",
    )
    .option(
      "--postgres <folder>",
      "Postgres of the old version, with bin/postgres (default: downloaded with npm)",
    )
    .option("--accept-drift", "also when balances differ from the ledger")
    .option("--yes", "do not ask")
    .option("--json", "print JSON")
    .action((options: UpgradeArguments) =>
      runCommand(terminal, options, () => upgradeDatabase(terminal, options)),
    );
}

async function upgradeDatabase(terminal: Terminal, options: UpgradeArguments) {
  const env = terminal.env();
  if (env.DATABASE_URL !== undefined)
    throw new CommandFailure(
      "DATABASE_URL is set, so the gateway does not use the embedded database. Upgrade your own Postgres with its tools, or with gateway move-database.",
      ExitCode.usage,
    );
  const cluster = await findOlderCluster(resolve(env.DATA_DIR));
  if (cluster === undefined)
    return {
      json: { upgraded: false },
      text: "The embedded database has the bundled version of Postgres. Nothing was changed.",
    };
  const { data, version: from, bundled: to } = cluster;
  await confirm(
    terminal,
    options,
    `The database in ${data} is moved from Postgres ${from} to ${to}. Continue?`,
  );
  const log = (line: string) => terminal.err(line);
  const programs = await obtainPostgres(from, options.postgres, log);
  const progress = createProgress(terminal, new Map());
  try {
    const upgrade = await upgradeCluster(cluster, {
      programs,
      now: currentTime(),
      log,
      copy: (source, url) =>
        moveDatabase(source, version, {
          url,
          migrations: migrationsFolder,
          acceptsDrift: options.acceptDrift === true,
          onTable: (table, rows) => progress.note(table, rows),
        }),
    });
    const { report, kept } = upgrade;
    return {
      json: { upgraded: true, from, to, data: upgrade.data, kept, ...report },
      text: [
        `${report.rows} rows of ${report.tables} tables are now in Postgres ${to}.`,
        describeAudit(report.audit),
        `Start the gateway. The old database is kept in ${kept}. Delete that folder when everything works.`,
      ].join("\n"),
    };
  } finally {
    progress.end();
    await programs.remove();
  }
}
