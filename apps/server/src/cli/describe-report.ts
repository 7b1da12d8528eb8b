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
          "Unknown tables and columns, which were not read",
          ...unknown.map(({ table: name, columns }) =>
            columns.length === 0 ? `  ${name}` : `  ${name}: ${columns.join(", ")}`,
          ),
        ].join("\n"),
    [
      "Checks",
      `  ${proof.balances_compared} balances compared, ${proof.balances_different} differ`,
      `  audit drift ${proof.audit_drift}`,
      `  ${proof.keys_tried} keys tried, ${proof.keys_failed.length} not accepted as before${listed(proof.keys_failed)}`,
      `  ${proof.charges_compared} charges computed again, ${proof.charges_different.length} differ by more than rounding${listed(proof.charges_different)}`,
      ...(proof.charges_not_comparable === 0
        ? []
        : [`  ${proof.charges_not_comparable} charges have a price that was changed or never set`]),
    ].join("\n"),
    ending(report),
  ]
    .filter((part) => part !== "")
    .join("\n\n");
}

function section(title: string, notes: readonly Note[]): string {
  if (notes.length === 0) return "";
  return [title, ...notes.map(({ text, count, examples }) => `  ${count} × ${text}${listed(examples)}`)].join(
    "\n",
  );
}

function listed(examples: readonly string[]): string {
  return examples.length === 0 ? "" : `\n      ${examples.join("\n      ")}`;
}

function ending(report: ImportReport): string {
  if (!report.ok)
    return "A check failed, so nothing was imported. Correct what the checks name in the source, and run the command again.";
  if (report.dry_run) return "The import would succeed. Run the command without --dry-run.";
  return "The import is complete. Start the server, test the channels, then move your domain to this gateway.";
}
