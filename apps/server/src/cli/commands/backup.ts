import { type Command, InvalidArgumentError } from "commander";
import { openPlace, placeDescription, readPassphrase } from "#cli/backup-place.ts";
import { type CommonOptions, runOn, type Terminal } from "#cli/command.ts";
import { CommandFailure, ExitCode } from "#cli/failure.ts";
import { createProgress } from "#cli/progress.ts";
import { recordBackup } from "#domain/backups/backup-records.ts";
import { type BackupReport, createBackup } from "#domain/backups/create-backup.ts";
import { version } from "#version.ts";

interface BackupArguments extends CommonOptions {
  to: string;
  passphraseFile?: string;
  keep?: number;
  keepDays?: number;
}

/** `gateway backup`: all data of one moment, in one file. */
export function backupCommand(program: Command, terminal: Terminal): void {
  program
    .command("backup")
    .description(
      "Writes all data of one moment to a file, and reads it back to check it. Nodes may run meanwhile.",
    )
    .requiredOption("--to <place>", placeDescription)
    .option(
      "--passphrase-file <file>",
      "encrypt with the passphrase in this file (default: BACKUP_PASSPHRASE)",
    )
    .option("--keep <number>", "delete older backups in that place, except the newest <number>", wholeNumber)
    .option("--keep-days <days>", "with --keep: also keep what is younger than <days> days", wholeNumber)
    .option("--json", "print JSON")
    .action((options: BackupArguments) =>
      runOn(terminal, options, async ({ database }) => {
        if (options.keepDays !== undefined && options.keep === undefined)
          throw new CommandFailure("--keep-days needs --keep.", ExitCode.usage);
        const passphrase = await readPassphrase(terminal, options.passphraseFile);
        if (passphrase === undefined)
          terminal.err(
            "The backup is not encrypted: neither BACKUP_PASSPHRASE nor --passphrase-file is given.",
          );
        const progress = createProgress(terminal, new Map());
        try {
          const report = await createBackup({
            url: database.url,
            version: version,
            storage: openPlace(terminal, options.to),
            passphrase,
            retention:
              options.keep === undefined
                ? undefined
                : { keepLast: options.keep, keepDays: options.keepDays ?? 0 },
            onTable: (table, rows) => progress.note(table, rows),
          });
          await recordBackup(database.db, report, version);
          return { json: report, text: describeReport(report) };
        } finally {
          progress.end();
        }
      }),
    );
}

function describeReport({ name, place, bytes, tables, rows, removed }: BackupReport): string {
  const old = removed.length === 0 ? "" : ` Old backups deleted: ${removed.join(", ")}.`;
  return (
    `${name} is in ${place}: ${rows} rows of ${tables} tables, ${bytes} bytes, read back and checked.${old}\n` +
    "Keep the secret key (SECRET_KEY, or DATA_DIR/secret-key) with it: the backup does not contain it."
  );
}

function wholeNumber(text: string): number {
  const value = Number(text);
  if (Number.isInteger(value) && value > 0 && value <= 10_000) return value;
  throw new InvalidArgumentError("It must be a whole number from 1 to 10000.");
}
