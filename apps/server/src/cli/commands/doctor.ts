import type { Command } from "commander";
import { type CommonOptions, runOn, type Terminal } from "#cli/command.ts";
import { examine } from "#cli/doctor.ts";
import { ExitCode } from "#cli/failure.ts";
import type { Finding } from "#cli/finding.ts";

const signs: Record<Finding["state"], string> = { ok: "✓", warning: "!", error: "✗" };

export function doctorCommand(program: Command, terminal: Terminal): void {
  program
    .command("doctor")
    .description(
      "Checks the machine, the database, the public address, mail, prices and keys, and says how to correct what is wrong.",
    )
    .option("--json", "print JSON")
    .action((options: CommonOptions) =>
      runOn(terminal, options, async (installation) => {
        const findings = await examine(installation);
        return {
          json: findings,
          text: findings
            .map(
              ({ check, state, text, fix }) =>
                `${signs[state]} ${check}: ${text}${fix === "" ? "" : `\n    ${fix}`}`,
            )
            .join("\n"),
          exitCode: findings.some(({ state }) => state === "error") ? ExitCode.failed : ExitCode.ok,
        };
      }),
    );
}
