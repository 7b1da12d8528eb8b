import type { Command } from "commander";
import type { Terminal } from "./command.ts";
import { warnVisible } from "./secret-input.ts";

/** Has the address of the other gateway's database, which contains a password. */
const variable = "OLD_GATEWAY_DATABASE";

export const fromDescription =
  "path of its SQLite file, mysql://user:password@host/database, or postgres://user:password@host/database; " +
  `read from the environment variable ${variable} without it`;

/** The database of the other gateway: `--from`, or the variable. Undefined if neither is given. */
export function sourceAddress(terminal: Terminal, from: string | undefined): string | undefined {
  if (from !== undefined && hasPassword(from))
    warnVisible(
      terminal,
      "the password in --from",
      `Set ${variable} to the address and leave --from out instead.`,
    );
  const given = from ?? terminal.variables[variable];
  return given === "" ? undefined : given;
}

/** Ends the command with a usage error if no database is given. */
export function requireSourceAddress(terminal: Terminal, command: Command, from: string | undefined): string {
  return (
    sourceAddress(terminal, from) ??
    command.error(`error: give the database of the other gateway with --from or in ${variable}`)
  );
}

function hasPassword(address: string): boolean {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  return url !== undefined && (url.password !== "" || url.searchParams.has("password"));
}
