import { Command, CommanderError } from "commander";
import type { Terminal } from "./command.ts";
import { applyCommand } from "./commands/apply.ts";
import { auditCommand } from "./commands/audit.ts";
import { backupCommand } from "./commands/backup.ts";
import { channelCommands } from "./commands/channels.ts";
import { compareCommand } from "./commands/compare.ts";
import { deriveKeyCommand } from "./commands/derive-key.ts";
import { doctorCommand } from "./commands/doctor.ts";
import { exportLogCommand } from "./commands/export-log.ts";
import { exportCommand } from "./commands/export.ts";
import { importCommand } from "./commands/import.ts";
import { migrateCommand } from "./commands/migrate.ts";
import { moveDatabaseCommand } from "./commands/move-database.ts";
import { quotesCommand } from "./commands/quotes.ts";
import { restoreCommand } from "./commands/restore.ts";
import { tokenCommands } from "./commands/tokens.ts";
import { upgradeDatabaseCommand } from "./commands/upgrade-database.ts";
import { userCommands } from "./commands/users.ts";
import { ExitCode } from "./failure.ts";

/** Runs the command that the arguments name; the terminal has the exit code afterwards. */
export async function runProgram(terminal: Terminal, argv: string[]): Promise<void> {
  try {
    await createProgram(terminal).parseAsync(argv);
  } catch (error) {
    // Its message is printed, and `leaveExitTo` has set the exit code.
    if (!(error instanceof CommanderError)) throw error;
  }
}

/** All commands. */
function createProgram(terminal: Terminal): Command {
  const program = new Command("gateway")
    .description("Manages the installation in DATABASE_URL, or in DATA_DIR with the embedded database.")
    .showHelpAfterError("Run the command with --help to see its arguments.")
    .configureOutput({
      writeOut: (text) => terminal.out(text.trimEnd()),
      writeErr: (text) => terminal.err(text.trimEnd()),
    })
    .addHelpText(
      "after",
      "\nExit codes: 0 done and checked, 1 a check failed, 2 wrong arguments or environment, 3 refused, nothing changed.",
    );
  for (const add of [
    importCommand,
    exportCommand,
    exportLogCommand,
    backupCommand,
    restoreCommand,
    moveDatabaseCommand,
    upgradeDatabaseCommand,
    applyCommand,
    compareCommand,
    auditCommand,
    quotesCommand,
    migrateCommand,
    doctorCommand,
    userCommands,
    tokenCommands,
    deriveKeyCommand,
    channelCommands,
  ])
    add(program, terminal);
  leaveExitTo(program, terminal);
  return program;
}

/** Wrong arguments end with a code of ours, and in a test they do not end the process. */
function leaveExitTo(command: Command, terminal: Terminal): void {
  command.exitOverride((error: CommanderError) => {
    terminal.setExitCode(error.exitCode === 0 ? ExitCode.ok : ExitCode.usage);
    throw error;
  });
  for (const child of command.commands) leaveExitTo(child, terminal);
}
