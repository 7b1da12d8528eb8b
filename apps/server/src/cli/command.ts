/** What commands share: their options, their output, and how they end. */
import { createInterface } from "node:readline/promises";
import type { Readable } from "node:stream";
import type { Env } from "#env.ts";
import { GatewayError } from "#errors.ts";
import { ImportRefusal } from "#migration/refusal.ts";
import { CommandFailure, ExitCode } from "./failure.ts";
import { type Installation, withInstallation } from "./installation.ts";

export interface CommonOptions {
  json?: boolean;
  yes?: boolean;
}

export interface Terminal {
  env(): Env;
  /** Variables of the shell, for files that refer to them. */
  variables: Readonly<Record<string, string | undefined>>;
  /** Standard input. */
  input: Readable;
  out(text: string): void;
  err(text: string): void;
  /** Replaces the last line of standard error that `redraw` wrote. Only on an interactive terminal. */
  redraw(text: string): void;
  /** Whether someone can be asked. */
  isInteractive: boolean;
  setExitCode(code: number): void;
}

/** What a command found, for scripts and for people. */
export interface CommandResult {
  json: unknown;
  text: string;
  exitCode?: number;
}

/** Runs a command on the installation and prints its outcome; what goes wrong ends in one sentence. */
export async function runOn(
  terminal: Terminal,
  options: CommonOptions,
  work: (installation: Installation) => Promise<CommandResult>,
): Promise<void> {
  await runCommand(terminal, options, () =>
    withInstallation(terminal.env(), { log: (line) => terminal.err(line) }, work),
  );
}

export async function runCommand(
  terminal: Terminal,
  { json = false }: CommonOptions,
  work: () => Promise<CommandResult>,
): Promise<void> {
  try {
    const outcome = await work();
    terminal.out(json ? JSON.stringify(outcome.json, bigintAsText, 2) : outcome.text);
    terminal.setExitCode(outcome.exitCode ?? ExitCode.ok);
  } catch (error) {
    const { message, exitCode } = describe(error);
    terminal.err(message);
    if (json) terminal.out(JSON.stringify({ error: message }));
    terminal.setExitCode(exitCode);
  }
}

/** Reasons of errors that are the result of a check. */
const failedChecks = new Set(["backup_cut", "backup_changed", "backup_drift"]);

function describe(error: unknown): { message: string; exitCode: number } {
  if (error instanceof CommandFailure) return { message: error.message, exitCode: error.exitCode };
  if (error instanceof ImportRefusal)
    return { message: error.message, exitCode: error.isUsage ? ExitCode.usage : ExitCode.refused };
  if (error instanceof GatewayError) {
    const fields = Object.entries(error.issues ?? {}).map(([field, issue]) => `${field}: ${issue.reason}`);
    const hasFailedCheck = failedChecks.has(String(error.params["reason"]));
    return {
      message: [error.message, ...fields].join("\n"),
      exitCode: hasFailedCheck ? ExitCode.failed : ExitCode.refused,
    };
  }
  if (error instanceof AggregateError && error.message === "")
    return { message: error.errors.map(String).join("\n"), exitCode: ExitCode.failed };
  return { message: error instanceof Error ? error.message : String(error), exitCode: ExitCode.failed };
}

function bigintAsText(_key: string, value: unknown): unknown {
  return typeof value === "bigint" ? String(value) : value;
}

/** Throws unless the operator agrees: with `--yes`, or by typing it. */
export async function confirm(
  terminal: Terminal,
  { yes = false }: CommonOptions,
  question: string,
): Promise<void> {
  if (yes) return;
  if (!terminal.isInteractive)
    throw new CommandFailure(`${question} Run the command again with --yes to confirm.`, ExitCode.usage);
  const prompt = createInterface({ input: process.stdin, output: process.stderr });
  try {
    const answer = await prompt.question(`${question} [y/N] `);
    if (/^y(es)?$/i.test(answer.trim())) return;
  } finally {
    prompt.close();
  }
  throw new CommandFailure("Nothing was changed.", ExitCode.refused);
}

/** Columns of equal width. */
export function table(rows: readonly (readonly string[])[]): string {
  const widths =
    rows[0]?.map((_, column) => Math.max(...rows.map((row) => (row[column] ?? "").length))) ?? [];
  return rows
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}
