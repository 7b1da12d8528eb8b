import type { DiagnosisState } from "@gateway/shared/site/diagnosis";
import type { Command } from "commander";
import { type CommonOptions, runOn, type Terminal } from "#cli/command.ts";
import { ExitCode } from "#cli/failure.ts";
import { examine } from "#diagnostics/examine.ts";
import { createSettings } from "#domain/settings/settings.ts";

const signs: Record<DiagnosisState, string> = { ok: "✓", warning: "!", problem: "✗" };

export function doctorCommand(program: Command, terminal: Terminal): void {
  program
    .command("doctor")
    .description(
      "Checks the machine, database, public address, mail, prices and keys, and says how to fix each problem.",
    )
    .option("--json", "print JSON")
    .action((options: CommonOptions) =>
      runOn(terminal, options, async (installation) => {
        const { database, secrets } = installation;
        const { findings } = await examine({
          ...installation,
          settings: async () => (await createSettings(database.db, await secrets())).current(),
        });
        return {
          json: findings,
          text: findings
            .map(
              ({ check, state, text, fix }) =>
                `${signs[state]} ${check.replaceAll("_", " ")}: ${text}${fix === "" ? "" : `\n    ${fix}`}`,
            )
            .join("\n"),
          exitCode: findings.some(({ state }) => state === "problem") ? ExitCode.failed : ExitCode.ok,
        };
      }),
    );
}
