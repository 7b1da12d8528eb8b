/** Compares what calls of a channel were charged here with what the gateway behind the channel charged for them. */
import { setImmediate as nextTurn } from "node:timers/promises";
import type {
  ComparisonReport,
  Deviation,
  DeviationCause,
  DeviationSide,
} from "@gateway/shared/site/comparison";
import { type LoggedCharge, type Match, matchCharges } from "./match.ts";
import { type ChargeQuery, readOwnCharges, readLoggedCharges } from "./read-charges.ts";

interface CompareOptions extends ChargeQuery {
  tolerance: bigint;
}

const mostDeviations = 5_000;
/** The process may be a gateway that serves calls meanwhile. */
const sliceMs = 10;

/** Throws ImportRefusal when the logs cannot be compared. */
export async function compareCharges(options: CompareOptions): Promise<ComparisonReport> {
  const { since, until, windowMs, tolerance, product, source } = options;
  const here = await readOwnCharges(options);
  const there = await readLoggedCharges(options);
  const report: ComparisonReport = {
    format: 1,
    product: product.id,
    origin: source.origin,
    channel: options.channel,
    key_name: options.keyName,
    since: since.toISOString(),
    until: until.toISOString(),
    window_seconds: windowMs / 1_000,
    tolerance: String(tolerance),
    calls: { compared: 0, equal: 0, deviating: 0, ambiguous: 0, missing_there: 0, missing_here: 0 },
    matched_by_id: 0,
    too_recent: 0,
    totals: { here: "0", source: "0" },
    causes: {},
    deviations: [],
    ok: false,
  };
  const deviating: { match: Match; kind: Deviation["kind"] }[] = [];
  const sums = { here: 0n, source: 0n };
  for await (const match of inSlices(matchCharges(here, there, windowMs))) {
    const endedAt = (match.here ?? match.there)?.endedAt ?? 0;
    // Rows from before only serve to find pairs at the edge.
    if (endedAt < since.getTime()) continue;
    const isPair = match.here !== undefined && match.there !== undefined;
    if (!isPair && !match.isAmbiguous && endedAt > until.getTime() - windowMs) {
      report.too_recent += 1;
      continue;
    }
    if (isPair && !match.isAmbiguous) {
      report.calls.compared += 1;
      if (match.isById === true) report.matched_by_id += 1;
      sums.here += match.here?.points ?? 0n;
      sums.source += match.there?.points ?? 0n;
    }
    const kind = kindOf(match, tolerance);
    if (kind === undefined) {
      report.calls.equal += 1;
      continue;
    }
    report.calls[kind === "charge" ? "deviating" : kind] += 1;
    if (kind === "charge")
      for (const cause of causesOf(match)) report.causes[cause] = (report.causes[cause] ?? 0) + 1;
    deviating.push({ match, kind });
  }
  report.totals = { here: String(sums.here), source: String(sums.source) };
  report.deviations = deviating
    .sort((a, b) => Number(differenceOf(b.match) - differenceOf(a.match)))
    .slice(0, mostDeviations)
    .map(deviationOf);
  report.ok = report.calls.compared > 0 && deviating.length === 0;
  return report;
}

/** Yields the items, and lets other work run every few milliseconds. */
async function* inSlices<T>(items: Iterable<T>): AsyncGenerator<T> {
  let since = performance.now();
  for (const item of items) {
    yield item;
    if (performance.now() - since < sliceMs) continue;
    await nextTurn();
    since = performance.now();
  }
}

/** Points by which the two sides differ. A call of one side only differs by its whole charge. */
function differenceOf({ here, there }: Match): bigint {
  const difference = (here?.points ?? 0n) - (there?.points ?? 0n);
  return difference < 0n ? -difference : difference;
}

function kindOf(match: Match, tolerance: bigint): Deviation["kind"] | undefined {
  if (match.isAmbiguous) return "ambiguous";
  if (match.there === undefined) return "missing_there";
  if (match.here === undefined) return "missing_here";
  return differenceOf(match) > tolerance ? "charge" : undefined;
}

function deviationOf({ match, kind }: { match: Match; kind: Deviation["kind"] }): Deviation {
  return {
    kind,
    causes: kind === "charge" ? causesOf(match) : [],
    model: (match.here ?? match.there)?.model ?? "",
    here: sideOf(match.here),
    source: sideOf(match.there),
  };
}

function causesOf({ here, there }: Match): DeviationCause[] {
  if (here === undefined || there === undefined) return [];
  const causes: DeviationCause[] = [];
  if (here.input !== there.input || here.output !== there.output) causes.push("tokens");
  if (here.price !== undefined && there.price !== undefined) {
    if (here.price.groupRatio !== there.price.groupRatio) causes.push("group_ratio");
    if (here.price.input !== there.price.input || here.price.output !== there.price.output)
      causes.push("price");
  }
  return causes.length === 0 ? ["unknown"] : causes;
}

function sideOf(charge: LoggedCharge | undefined): DeviationSide | null {
  if (charge === undefined) return null;
  const { id, endedAt, input, output, points, price } = charge;
  return {
    id,
    at: new Date(endedAt).toISOString(),
    prompt_tokens: input,
    completion_tokens: output,
    charge: String(points),
    price:
      price === undefined
        ? null
        : { group_ratio: price.groupRatio, input: price.input, output: price.output },
  };
}
