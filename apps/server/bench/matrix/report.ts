import { readFile, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { root } from "#platform/places.ts";
import { withVersion } from "../../../../scripts/translated-docs.ts";
import type { Client } from "./client.ts";
import { versionOf } from "./programs.ts";
import { type ReportTexts, reportTexts } from "./report-texts.ts";
import { type Result, type Scenario, scenarios } from "./scenarios.ts";
import { upstreamLabels, upstreams } from "./upstream-kinds.ts";

const BEGIN = "<!-- results: written by pnpm verify:clients -->";
const END = "<!-- end of results -->";

const resultsFile = join(import.meta.dirname, "results.json");

/** A result as it is stored. Only its first finding is kept. */
interface Stored extends Omit<Result, "seconds"> {
  version: string;
  date: string;
}

/**
 * Adds results to the stored ones, and writes all between the two marks of docs/compatibility.md and of its
 * translation. A part of the matrix replaces its own cells only.
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
  for (const texts of reportTexts) await writeTables(clients, all, texts);
}

async function writeTables(
  clients: readonly Client[],
  results: readonly Stored[],
  texts: ReportTexts,
): Promise<void> {
  const file = join(root, texts.file);
  const text = await readFile(file, "utf8");
  const [before = "", rest = ""] = text.split(BEGIN);
  const [, after = ""] = rest.split(END);
  const tables = scenarios.map((scenario) => {
    const able = clients.filter((client) => client.lacks?.[scenario] === undefined);
    const rows = able.map((client) => rowOf(client, results, scenario, texts));
    const heads = [texts.client, ...upstreams.map((kind) => upstreamLabels[kind])];
    return `### ${texts.titles[scenario]}\n\n${table(heads, rows)}`;
  });
  const versions = table(
    [texts.client, texts.speaks, texts.version, texts.lastRun],
    clients.map((client) => {
      const own = results.filter((result) => result.client === client.id);
      // Of its oldest result: a part that was repeated does not make the others newer.
      const oldest = own.toSorted((one, other) => one.date.localeCompare(other.date))[0];
      const { version, date } = oldest ?? { version: versionOf(client), date: texts.notRun };
      return [client.label, texts.translate(client.speaks), version, date];
    }),
  );
  const parts = [versions, ...tables, notes(clients, results, texts)].filter((part) => part !== "");
  const page = `${before}${BEGIN}\n\n${parts.join("\n\n")}\n\n${END}${after}`;
  const [source] = reportTexts;
  const isTranslation = source !== undefined && source !== texts;
  const english = isTranslation ? await readFile(join(root, source.file), "utf8") : "";
  await writeFile(file, isTranslation ? withVersion(basename(source.file), page, english) : page);
}

function nameOf(client: Client, { name, translate }: ReportTexts): string {
  return name(client.label, translate(client.speaks));
}

function rowOf(client: Client, results: readonly Stored[], scenario: Scenario, texts: ReportTexts): string[] {
  return [
    nameOf(client, texts),
    ...upstreams.map((upstream) => {
      const found = results.find(
        (result) =>
          result.client === client.id && result.upstream === upstream && result.scenario === scenario,
      );
      if (found === undefined) return texts.notRun;
      return found.wrong.length === 0 ? "✓" : "✗";
    }),
  ];
}

/** Lists what failed and what could not be run, with the reason. Dialects of one client have the same reasons. */
function notes(clients: readonly Client[], results: readonly Stored[], texts: ReportTexts): string {
  const lacking = clients.flatMap((client) =>
    scenarios.flatMap((scenario) => {
      const reason = client.lacks?.[scenario];
      if (reason === undefined) return [];
      return [texts.lacking(client.label, texts.titles[scenario], texts.translate(reason))];
    }),
  );
  const failing = clients.flatMap((client) =>
    results
      .filter((result) => result.client === client.id && result.wrong.length > 0)
      .map(({ upstream, scenario, wrong }) =>
        texts.failing(
          nameOf(client, texts),
          texts.titles[scenario],
          upstreamLabels[upstream],
          firstLine(wrong),
        ),
      ),
  );
  const lines = [...new Set(lacking), ...failing].map((line) => `- ${line}`);
  return lines.length === 0 ? "" : `### ${texts.notes}\n\n${lines.join("\n")}`;
}

function firstLine(wrong: readonly string[]): string {
  return (wrong[0] ?? "").split("\n")[0]?.slice(0, 200) ?? "";
}

/** Aligns the columns as the formatter does. */
function table(heads: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = heads.map((head, column) =>
    Math.max(3, ...[head, ...rows.map((row) => row[column] ?? "")].map(widthOf)),
  );
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell, column) => cell + " ".repeat((widths[column] ?? 0) - widthOf(cell))).join(" | ")} |`;
  return [line(heads), `| ${widths.map((width) => "-".repeat(width)).join(" | ")} |`, ...rows.map(line)].join(
    "\n",
  );
}

/** Chinese characters and their punctuation take two columns. */
function widthOf(text: string): number {
  return text.replaceAll(/[\u2e80-\u9fff\uff00-\uff60]/g, "  ").length;
}
