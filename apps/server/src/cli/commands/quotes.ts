import type { Command } from "commander";
import { type CommonOptions, runOn, table, type Terminal } from "#cli/command.ts";
import { type QuotesOfModel, readQuotes } from "#domain/quotes/report.ts";
import { now } from "#platform/clock.ts";
import { daysArgument } from "./arguments.ts";

const DAY_MS = 86_400_000;
const columns = ["model", "calls", "quoted", "charged", "difference", "exceeded", "paid by operator"];

export function quotesCommand(program: Command, terminal: Terminal): void {
  program
    .command("quotes")
    .description("Compares the quotes that calls used with their charges, by model, in points.")
    .option("--days <days>", "only quotes of the last days, at most 90", daysArgument, 30)
    .option("--json", "print JSON")
    .action((options: CommonOptions & { days: number }) =>
      runOn(terminal, options, async ({ database }) => {
        const since = new Date(now() - options.days * DAY_MS);
        const rows = await readQuotes(database.pool, since);
        return { json: rows, text: table([columns, ...rows.map(cellsOf)]) };
      }),
    );
}

function cellsOf({ model, calls, quoted, charged, exceeded, excess }: QuotesOfModel): string[] {
  return [model, calls, quoted, charged, quoted - charged, exceeded, excess].map(String);
}
