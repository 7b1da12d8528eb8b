/** Commands of a first call that contain the key, to paste into a terminal. Pure. */
import { clientById } from "@gateway/shared/connect/clients";
import type { Connection } from "@gateway/shared/connect/connection";
import { powershellWord, shellWord } from "@gateway/shared/connect/quoting";

/** Clients whose first call needs one command. */
export const firstClients = ["curl", "claude-code", "codex"] as const;
export type FirstClient = (typeof firstClients)[number];

/** For sh, bash and zsh, and for PowerShell. */
export type TerminalCommand = { posix: string; powershell: string };

/**
 * Returns the command that makes the first call: curl sends it; for an agent the installer writes its settings and
 * makes a test call.
 */
export function commandWithKey(client: FirstClient, connection: Connection): TerminalCommand {
  const does = client === "curl" ? "run" : "connect";
  const part = clientById(client)
    ?.parts(connection)
    .find((each) => each.kind === "command" && each.does === does);
  if (part?.kind !== "command") throw new Error(`${client} has no command that does ${does}`);
  if (client === "curl") return part;
  // The installer reads the key from its environment.
  return {
    posix: `export GATEWAY_API_KEY=${shellWord(connection.key)}\n${part.posix}`,
    powershell: `$env:GATEWAY_API_KEY = ${powershellWord(connection.key)}\n${part.powershell}`,
  };
}
