import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { root } from "#platform/places.ts";
import type { Client } from "./client.ts";
import { versionOf } from "./programs.ts";
import { type Result, type Scenario, scenarios } from "./scenarios.ts";
import { upstreamLabels, upstreams } from "./upstream-kinds.ts";

const BEGIN = "<!-- results: written by pnpm matrix -->";
const END = "<!-- end of results -->";
const titles: Record<Scenario, string> = {
  task: "Read, edit, run, finish",
  agents: "Two sub-agents at once",
  compaction: "Compaction",
  cancel: "Cancel",
  resume: "Resume",
};

const resultsFile = join(import.meta.dirname, "results.json");

/** A result as it is stored. Only its first finding is kept. */
interface Stored extends Omit<Result, "seconds"> {
  version: string;
  date: string;
}

/**
 * Adds results to the stored ones, and writes all between the two marks of docs/compatibility.md. A part of
 * the matrix replaces its own cells only.
 */
export async function writeReport(clients: readonly Client[], added: readonly Result[]): Promise<void> {
  const today = new Date().toISOString().slice(0, 10);
  const stored = JSON.parse(await readFile(resultsFile, "utf8").catch(() => "[]")) as Stored[];
  const fresh = added.flatMap(({ seconds: _seconds, wrong, ...result }) => {
    const client = clients.find(({ id }) => id === result.client);
    const first = firstLine(wrong);
    return client === undefined
      ? []
      : [{ ...result, wrong: first === "" ? [] : [first], version: versionOf(client), date: today }];
  });
  const isSame = (one: Stored, other: Stored) =>
    one.client === other.client && one.upstream === other.upstream && one.scenario === other.scenario;
  const kept = stored.filter((one) => !fresh.some((other) => isSame(one, other)));
  const all = clients.flatMap(({ id }) => [...kept, ...fresh].filter((one) => one.client === id));
  await writeFile(resultsFile, `${JSON.stringify(all, null, 2)}\n`);
  await writeTables(clients, all);
}

async function writeTables(clients: readonly Client[], results: readonly Stored[]): Promise<void> {
  const file = join(root, "docs/compatibility.md");
  const text = await readFile(file, "utf8");
  const [before = "", rest = ""] = text.split(BEGIN);
  const [, after = ""] = rest.split(END);
  const tables = scenarios.map((scenario) => {
    const rows = clients.map((client) => rowOf(client, results, scenario));
    return `### ${titles[scenario]}\n\n${table(["Client", ...upstreams.map((kind) => upstreamLabels[kind])], rows)}`;
  });
  const versions = table(
    ["Client", "Speaks", "Version", "Last run"],
    clients.map((client) => {
      const own = results.filter((result) => result.client === client.id);
      const last = own
        .map(({ date }) => date)
        .sort()
        .at(-1);
      return [client.label, client.speaks, own.at(-1)?.version ?? versionOf(client), last ?? "not run"];
    }),
  );
  const parts = [versions, ...tables, notes(clients, results)];
  await writeFile(
    file,
    `${before}${BEGIN}\n\n${parts.filter((part) => part !== "").join("\n\n")}\n\n${END}${after}`,
  );
}

function rowOf(client: Client, results: readonly Stored[], scenario: Scenario): string[] {
  return [
    `${client.label}, ${client.speaks}`,
    ...upstreams.map((upstream) => {
      const found = results.find(
        (result) =>
          result.client === client.id && result.upstream === upstream && result.scenario === scenario,
      );
      if (found === undefined) return "not run";
      if (found.skipped !== undefined) return "–";
      return found.wrong.length === 0 ? "✓" : "✗";
    }),
  ];
}

/** Lists what failed and what could not be run, with the reason. */
function notes(clients: readonly Client[], results: readonly Stored[]): string {
  const lines = clients.flatMap((client) => [
    ...Object.entries(client.lacks ?? {}).map(
      ([scenario, reason]) =>
        `- ${client.label}, ${client.speaks}: ${titles[scenario as Scenario]}: not run. ${reason}`,
    ),
    ...results
      .filter((result) => result.client === client.id && result.wrong.length > 0)
      .map(
        ({ upstream, scenario, wrong }) =>
          `- ${client.label}, ${client.speaks}: ${titles[scenario]} at ${upstreamLabels[upstream]}: ${firstLine(wrong)}`,
      ),
  ]);
  return lines.length === 0 ? "" : `### Not run, and failures\n\n${lines.join("\n")}`;
}

function firstLine(wrong: readonly string[]): string {
  return (wrong[0] ?? "").split("\n")[0]?.slice(0, 200) ?? "";
}

/** Aligns the columns as the formatter does. */
function table(heads: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = heads.map((head, column) =>
    Math.max(3, ...[head, ...rows.map((row) => row[column] ?? "")].map((cell) => cell.length)),
  );
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(" | ")} |`;
  return [line(heads), `| ${widths.map((width) => "-".repeat(width)).join(" | ")} |`, ...rows.map(line)].join(
    "\n",
  );
}
