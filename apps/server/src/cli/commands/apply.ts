import { readFile } from "node:fs/promises";
import type { Command } from "commander";
import { applyFile } from "#cli/apply/apply-file.ts";
import { type Change, describeChanges } from "#cli/apply/changes.ts";
import { gatewayFileSchema } from "#cli/apply/gateway-file.ts";
import { readGatewayFile } from "#cli/apply/read-gateway-file.ts";
import {
  type CommonOptions,
  confirm,
  type CommandResult,
  runCommand,
  runOn,
  type Terminal,
} from "#cli/command.ts";
import { CommandFailure, ExitCode } from "#cli/failure.ts";
import { operatorOf } from "#cli/operator.ts";
import { openProviders } from "#providers/registry.ts";

interface ApplyArguments extends CommonOptions {
  file?: string;
  diff?: boolean;
  schema?: boolean;
}

export function applyCommand(program: Command, terminal: Terminal): void {
  program
    .command("apply")
    .description("Applies a file of channels, user groups, prices and settings.")
    .option("-f, --file <path>", "the file, such as gateway.yaml")
    .option("--diff", "print what would change, and exit with 2 if there are changes")
    .option("--schema", "print the JSON Schema of the file")
    .option("--yes", "do not ask")
    .option("--json", "print JSON")
    .action((options: ApplyArguments) =>
      options.schema === true
        ? runCommand(terminal, { json: true }, () => Promise.resolve({ json: gatewayFileSchema(), text: "" }))
        : runApply(terminal, options),
    );
}

async function runApply(terminal: Terminal, options: ApplyArguments): Promise<void> {
  await runOn(terminal, options, async ({ database: { db }, secrets }) => {
    const { file: path } = options;
    if (path === undefined)
      throw new CommandFailure("Give the path of the file: gateway apply -f gateway.yaml", ExitCode.refused);
    const file = readGatewayFile(await read(path), path, terminal.variables);
    const deps = { db, secrets: await secrets(), providers: openProviders(), actor: await operatorOf(db) };
    const planned = await applyFile(deps, file, { dryRun: true });
    if (planned.length === 0) return outcome(planned, false, "No changes.");
    if (options.diff === true)
      return { ...outcome(planned, false, describeChanges(planned)), exitCode: ExitCode.differs };
    terminal.err(describeChanges(planned));
    await confirm(terminal, options, `Make these changes (${planned.length})?`);
    const made = await applyFile(deps, file, { dryRun: false });
    return outcome(made, true, `${made.length} changes were made.`);
  });
}

function outcome(changes: Change[], applied: boolean, text: string): CommandResult {
  return { json: { applied, changes }, text };
}

async function read(path: string): Promise<string> {
  try {
    return await readFile(path, "utf8");
  } catch (cause) {
    throw new CommandFailure(
      `${path} cannot be read. Give the path of the file after -f.`,
      ExitCode.refused,
      {
        cause,
      },
    );
  }
}
