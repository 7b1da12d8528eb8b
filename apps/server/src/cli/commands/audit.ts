import type { Command } from "commander";
import { type CommonOptions, runOn, type Terminal } from "#cli/command.ts";
import { ExitCode } from "#cli/failure.ts";
import { audit, describeAudit } from "#domain/ledger/balances/audit.ts";

export function auditCommand(program: Command, terminal: Terminal): void {
  program
    .command("audit")
    .description("Recomputes every balance from the ledger and prints the drift, which must be 0.")
    .option("--json", "print JSON")
    .action((options: CommonOptions) =>
      runOn(terminal, options, async ({ database }) => {
        const outcome = await audit(database.pool);
        return {
          json: outcome,
          text: describeAudit(outcome),
          exitCode: outcome.drift === 0n ? ExitCode.ok : ExitCode.failed,
        };
      }),
    );
}
