import { readFileSync } from "node:fs";
import { clients } from "@gateway/shared/connect/clients";
import type { Connection, ClientSettingsFile } from "@gateway/shared/connect/connection";

/**
 * Builds the scripts that connect command-line clients: a template for each kind of shell, with the settings
 * files of packages/shared. They contain placeholders for key, model and context window, which the script replaces.
 * The templates are beside this module; the bundle has copies of them.
 */
const fileBeside = (name: string): string => readFileSync(new URL(name, import.meta.url), "utf8");

export type InstallerName = "install.sh" | "install.ps1";

/**
 * Letters that need no quotes in any of the files, so that the script can replace them with checked values. It
 * leaves out the lines with the context window of a model if that is unknown.
 */
const placeholders: Omit<Connection, "baseUrl"> = {
  key: "__GATEWAY_KEY__",
  model: "__GATEWAY_MODEL__",
  contextWindow: "__GATEWAY_WINDOW__",
  backgroundModel: "__GATEWAY_BACKGROUND__",
};

type Entry = { client: string; dialect: string; command: string; file: ClientSettingsFile };

function entriesFor(address: string): Entry[] {
  return clients.flatMap((client) =>
    (client.files?.({ baseUrl: address, ...placeholders }) ?? []).map((file) => ({
      client: client.id,
      dialect: client.dialect,
      command: client.command ?? "",
      file,
    })),
  );
}

function table(entries: Entry[]): string {
  return entries
    .map(({ client, dialect, command, file }) =>
      [
        client,
        dialect,
        command,
        file.path,
        file.format,
        (file.removes ?? []).join(","),
        (file.keeps ?? []).join(","),
      ].join("|"),
    )
    .join("\n");
}

function shellContents(entries: Entry[]): string {
  return entries
    .map(({ file }) => `    ${file.path})\n      cat <<'GATEWAY_END'\n${file.content}GATEWAY_END\n      ;;`)
    .join("\n");
}

function powershellContents(entries: Entry[]): string {
  return entries.map(({ file }) => `  '${file.path}' = @'\n${file.content}'@`).join("\n");
}

/**
 * Returns the script.
 * @param address public address of the gateway, without a slash at the end; an http or https URL
 */
export function installer(name: InstallerName, address: string): string {
  const template = fileBeside(name);
  const merge = fileBeside("merge-settings.cjs").trimEnd();
  const entries = entriesFor(address);
  const shell = name === "install.sh";
  const values: Record<string, string> = {
    ADDRESS: address,
    // A URL contains no quotes, because they are encoded in it.
    ADDRESS_WORD: `'${address.replaceAll("'", "%27")}'`,
    FILES: table(entries),
    CONTENTS: shell ? shellContents(entries) : powershellContents(entries),
    MERGE_PROGRAM: merge,
  };
  return template.replaceAll(
    /@(ADDRESS|ADDRESS_WORD|FILES|CONTENTS|MERGE_PROGRAM)@/g,
    (_, marker: string) => {
      return values[marker] ?? "";
    },
  );
}
