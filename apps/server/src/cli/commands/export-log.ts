import { type Command, InvalidArgumentError } from "commander";
import { openPlace, placeDescription } from "#cli/backup-place.ts";
import { type CommonOptions, runOn, type Terminal } from "#cli/command.ts";
import { CommandFailure, ExitCode } from "#cli/failure.ts";
import type { Installation } from "#cli/installation.ts";
import { createProgress } from "#cli/progress.ts";
import { exportPeriod } from "#domain/logs/export/export-closed-hours.ts";
import { hourMs } from "#domain/logs/export/hours.ts";
import { exportStorage } from "#domain/logs/export/log-export.ts";
import { createSettings } from "#domain/settings/settings.ts";
import { openStorage } from "#platform/storage/open-storage.ts";

interface ExportLogOptions extends CommonOptions {
  from: Date;
  to: Date;
  place?: string;
}

/** Longest period of one command, in hours. */
const mostHours = 24 * 366;

/** `gateway export-log`: hours of the request log as Parquet files. */
export function exportLogCommand(program: Command, terminal: Terminal): void {
  program
    .command("export-log")
    .description(
      "Exports hours of the request log as Parquet files, replacing earlier exports of them. Nodes may run meanwhile.",
    )
    .requiredOption("--from <hour>", "first hour in UTC, like 2026-11-28T07", hourOf)
    .requiredOption("--to <hour>", "hour in UTC at which the period ends, like 2026-11-29T00", hourOf)
    .option("--place <place>", `${placeDescription} (default: the place of the settings)`)
    .option("--json", "print JSON")
    .action((options: ExportLogOptions) =>
      runOn(terminal, options, async ({ database, env, secrets }) => {
        const { from, to: until } = options;
        if (from >= until || (until.getTime() - from.getTime()) / hourMs > mostHours)
          throw new CommandFailure("--from must be before --to, by a year at most.", ExitCode.usage);
        const storage =
          options.place === undefined
            ? openStorage(exportStorage(await savedSettings(database, secrets), env.DATA_DIR))
            : openPlace(terminal, options.place);
        const progress = createProgress(terminal, new Map());
        let rows = 0;
        try {
          const hours = await exportPeriod(
            {
              url: database.url,
              storage,
              signal: new AbortController().signal,
              onHour: (hour) => progress.note("request_logs", (rows += hour.rows)),
            },
            { from, until, isRecorded: options.place === undefined },
          );
          const sum = (key: "rows" | "files" | "bytes") =>
            hours.reduce((total, hour) => total + hour[key], 0);
          const total = { rows: sum("rows"), files: sum("files"), bytes: sum("bytes") };
          return {
            json: { place: storage.place, ...total },
            text: `${total.rows} rows of ${hours.length} hours are in ${storage.place}: ${total.files} files, ${total.bytes} bytes.`,
          };
        } finally {
          progress.end();
        }
      }),
    );
}

async function savedSettings({ db }: Installation["database"], secrets: Installation["secrets"]) {
  return (await createSettings(db, await secrets())).current();
}

function hourOf(text: string): Date {
  const [, day = "", hour = ""] = /^(\d{4}-\d\d-\d\d)(?:T(\d\d)(?::00(?::00)?)?Z?)?$/.exec(text) ?? [];
  const time = new Date(`${day}T${hour || "00"}:00:00Z`);
  if (Number.isNaN(time.getTime()))
    throw new InvalidArgumentError("It must be a day or an hour in UTC, like 2026-11-28 or 2026-11-28T07.");
  return time;
}
