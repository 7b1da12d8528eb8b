import type { ImportReport, Note } from "#migration/report.ts";
import { table } from "./command.ts";

/** The report as people read it. */
export function describeReport(report: ImportReport): string {
  const { counts, totals, unknown, notes, proof } = report;
  const rows = Object.entries(counts).map(([kind, { read, imported, skipped }]) =>
    [kind, read, imported, skipped].map(String),
  );
  return [
    `${report.dry_run ? "Dry run: nothing was changed. " : ""}${report.product} from ${report.origin}`,
    table([["", "in the source", "imported", "left out"], ...rows]),
    table([
      ["Points", "in the source", "here"],
      ["balances", totals.users_quota.source, totals.users_quota.here],
      ["balances of live users", totals.live_users_quota.source, totals.live_users_quota.here],
      ["used by users", totals.users_used_quota.source, totals.users_used_quota.here],
      ["used by keys", totals.tokens_used_quota.source, totals.tokens_used_quota.here],
    ]),
    section(
      "Needs your attention",
      notes.filter((note) => note.level === "attention"),
    ),
    section(
      "Also noted",
      notes.filter((note) => note.level === "info"),
    ),
    unknown.length === 0
      ? ""
      : [
          "Tables and columns that were not read",
          ...unknown.map(({ table: name, columns }) =>
            columns.length === 0 ? `  ${name}` : `  ${name}: ${columns.join(", ")}`,
          ),
        ].join("\n"),
    [
      "Checks",
      `  balances compared: ${proof.balances_compared}, different: ${proof.balances_different}`,
      `  ledger audit: drift ${proof.audit_drift}`,
      `  keys tested: ${proof.keys_tried}, not accepted as before: ${proof.keys_failed.length}${listExamples(proof.keys_failed)}`,
      `  charges recalculated: ${proof.charges_compared}, different by more than rounding: ${proof.charges_different.length}${listExamples(proof.charges_different)}`,
      ...(proof.charges_not_comparable === 0
        ? []
        : [`  charges whose price was changed later or never set: ${proof.charges_not_comparable}`]),
    ].join("\n"),
    ending(report),
  ]
    .filter((part) => part !== "")
    .join("\n\n");
}

function section(title: string, notes: readonly Note[]): string {
  if (notes.length === 0) return "";
  return [
    title,
    ...notes.map(({ text, count, examples }) => `  ${count} × ${text}${listExamples(examples)}`),
  ].join("\n");
}

function listExamples(examples: readonly string[]): string {
  return examples.length === 0 ? "" : `\n      ${examples.join("\n      ")}`;
}

function ending(report: ImportReport): string {
  if (!report.ok)
    return "A check failed, so nothing was imported. Correct what the checks name in the source, and run the command again.";
  if (report.dry_run) return "The import would succeed. Run the command without --dry-run.";
  return "The import is complete. Start the server, test the channels, then move your domain to this gateway.";
}
