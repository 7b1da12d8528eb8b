import type { Command } from "commander";
import { type CommonOptions, runCommand, type Terminal } from "#cli/command.ts";
import { withInstallation } from "#cli/installation.ts";

export function migrateCommand(program: Command, terminal: Terminal): void {
  program
    .command("migrate")
    .description("Creates the tables, or brings them to this version, as each start of the server does.")
    .option("--json", "print JSON")
    .action((options: CommonOptions) =>
      runCommand(terminal, options, () =>
        withInstallation(
          terminal.env(),
          { migrates: true, log: (line) => terminal.err(line) },
          async ({ migrate, where }) => {
            const applied = await migrate();
            return {
              json: { applied },
              text: `${where}: ${applied.length === 0 ? "up to date" : `migrations applied: ${applied.join(", ")}`}`,
            };
          },
        ),
      ),
    );
}
