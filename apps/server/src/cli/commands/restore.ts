import type { Command } from "commander";
import { findBackup, placeDescription, readPassphrase } from "#cli/backup-place.ts";
import { type CommandResult, type CommonOptions, confirm, runCommand, type Terminal } from "#cli/command.ts";
import { type Installation, withInstallation } from "#cli/installation.ts";
import { createProgress } from "#cli/progress.ts";
import { decodeFile } from "#domain/backups/backup-file.ts";
import { requireNoNodes } from "#domain/backups/require-no-nodes.ts";
import { restoreDump, type RestoreReport } from "#domain/backups/restore-dump.ts";
import { verifyBackup } from "#domain/backups/verify-backup.ts";
import { describeAudit } from "#domain/ledger/balances/audit.ts";
import { migrationsFolder } from "#platform/database/migrate.ts";

interface RestoreArguments extends CommonOptions {
  from: string;
  passphraseFile?: string;
  replace?: boolean;
  acceptDrift?: boolean;
  check?: boolean;
}

/** `gateway restore`: the database as it was in a backup. */
export function restoreCommand(program: Command, terminal: Terminal): void {
  program
    .command("restore")
    .description(
      "Restores a backup into an empty database, in one transaction, and recomputes every balance.",
    )
    .requiredOption("--from <backup>", `a backup, or the newest one of a place: ${placeDescription}`)
    .option("--passphrase-file <file>", "passphrase of the backup (default: BACKUP_PASSPHRASE)")
    .option("--check", "only read the backup to its end and compare its checksums")
    .option("--replace", "delete everything that is in the database first")
    .option("--accept-drift", "restore also when balances differ from their books")
    .option("--yes", "do not ask")
    .option("--json", "print JSON")
    .action((options: RestoreArguments) =>
      runCommand(terminal, options, () =>
        options.check === true
          ? check(terminal, options)
          : withInstallation(
              terminal.env(),
              { migrates: true, log: (line) => terminal.err(line) },
              (installation) => restore(terminal, options, installation),
            ),
      ),
    );
}

async function check(terminal: Terminal, options: RestoreArguments): Promise<CommandResult> {
  const { storage, name } = await findBackup(terminal, options.from);
  const passphrase = await readPassphrase(terminal, options.passphraseFile);
  const { header, trailer } = await verifyBackup(storage, name, passphrase);
  const rows = trailer.tables.reduce((sum, table) => sum + table.rows, 0);
  return {
    json: { name, version: header.version, createdAt: header.createdAt, tables: trailer.tables.length, rows },
    text: `${name} is complete: ${rows} rows of ${trailer.tables.length} tables, written by version ${header.version} at ${header.createdAt}.`,
  };
}

async function restore(
  terminal: Terminal,
  options: RestoreArguments,
  { database, where, secrets }: Installation,
): Promise<CommandResult> {
  const { storage, name } = await findBackup(terminal, options.from);
  const passphrase = await readPassphrase(terminal, options.passphraseFile);
  await requireNoNodes(database.pool);
  await confirm(
    terminal,
    options,
    options.replace === true
      ? `Everything in ${where} is deleted and replaced by ${name}. Continue?`
      : `${name} is restored into ${where}. Continue?`,
  );
  const progress = createProgress(terminal, new Map());
  try {
    const report = await restoreDump(await decodeFile(await storage.read(name), name, passphrase), {
      url: database.url,
      migrations: migrationsFolder,
      file: name,
      secrets: await secrets(),
      replaces: options.replace === true,
      acceptsDrift: options.acceptDrift === true,
      onTable: (table, rows) => progress.note(table, rows),
    });
    return { json: { name, ...report }, text: describeRestore(name, report) };
  } finally {
    progress.end();
  }
}

function describeRestore(name: string, report: RestoreReport): string {
  const lines = [
    `${name} of ${report.createdAt} is restored: ${report.rows} rows of ${report.tables} tables, written by version ${report.version}.`,
  ];
  if (report.migrated.length > 0) lines.push(`Migrations applied after it: ${report.migrated.join(", ")}.`);
  if (report.skipped.length > 0)
    lines.push(`Tables of other programs, which were not restored: ${report.skipped.join(", ")}.`);
  return [...lines, describeAudit(report.audit)].join("\n");
}
