import { POINTS_PER_USD } from "@gateway/shared/billing/money";
import { Bill, LogType } from "@gateway/shared/usage/log";
import type { Product } from "#migration/products/product.ts";
import type { LogPrice, LogRecord } from "#migration/records.ts";
import { ImportRefusal } from "#migration/refusal.ts";
import { createReportBook } from "#migration/report.ts";
import { readOptions } from "#migration/run-import.ts";
import type { Source } from "#migration/sources/source.ts";
import type { Database } from "#platform/database/db.ts";
import { type Charge, type Match, matchCharges } from "./match.ts";

/** Compares what calls of a channel were charged here with what the gateway behind the channel charged for them. */

interface CompareOptions {
  database: Pick<Database, "pool">;
  source: Source;
  product: Product;
  channel: { id: number; name: string };
  /** The key there that the channel uses. */
  keyName: string;
  /** Owner of the key there, where several accounts have a key of this name. */
  username?: string | undefined;
  /** Calls between these times are compared. */
  since: Date;
  until: Date;
  windowMs: number;
  tolerance: bigint;
}

type DeviationKind = "charge" | "ambiguous" | "missing_there" | "missing_here";
type Cause = "tokens" | "group_ratio" | "price" | "unknown";

interface Side {
  id: string;
  /** ISO time at which the call ended. */
  at: string;
  prompt_tokens: number;
  completion_tokens: number;
  /** Points as text. */
  charge: string;
  price: { group_ratio: number; input: number; output: number } | null;
}

export interface Deviation {
  kind: DeviationKind;
  /** Why the charges differ; for `charge` only. */
  causes: Cause[];
  model: string;
  here: Side | null;
  source: Side | null;
}

export interface CompareReport {
  format: 1;
  product: string;
  origin: string;
  channel: { id: number; name: string };
  since: string;
  until: string;
  window_seconds: number;
  tolerance: string;
  /** Calls on both sides, and those of one side only that are no more recent than the window. */
  calls: Record<"compared" | "equal" | "deviating" | "ambiguous" | "missing_there" | "missing_here", number>;
  /** Calls of one side only whose row may still be written on the other side. */
  too_recent: number;
  /** Points of the compared calls, as text. */
  totals: { here: string; source: string };
  causes: Partial<Record<Cause, number>>;
  /** The first 1,000. */
  deviations: Deviation[];
  ok: boolean;
}

const mostCalls = 200_000;
const mostDeviations = 1_000;

export async function compareCharges(options: CompareOptions): Promise<CompareReport> {
  const { since, until, windowMs, tolerance, product, source } = options;
  const here = await chargesHere(options);
  const there = await chargesThere(options);
  const report: CompareReport = {
    format: 1,
    product: product.id,
    origin: source.origin,
    channel: options.channel,
    since: since.toISOString(),
    until: until.toISOString(),
    window_seconds: windowMs / 1_000,
    tolerance: String(tolerance),
    calls: { compared: 0, equal: 0, deviating: 0, ambiguous: 0, missing_there: 0, missing_here: 0 },
    too_recent: 0,
    totals: { here: "0", source: "0" },
    causes: {},
    deviations: [],
    ok: false,
  };
  const sums = { here: 0n, source: 0n };
  for (const match of matchCharges(here, there, windowMs)) {
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
      sums.here += match.here?.points ?? 0n;
      sums.source += match.there?.points ?? 0n;
    }
    const kind = kindOf(match, tolerance);
    if (kind === undefined) {
      report.calls.equal += 1;
      continue;
    }
    report.calls[kind === "charge" ? "deviating" : kind] += 1;
    const causes = kind === "charge" ? causesOf(match) : [];
    for (const cause of causes) report.causes[cause] = (report.causes[cause] ?? 0) + 1;
    if (report.deviations.length < mostDeviations)
      report.deviations.push({
        kind,
        causes,
        model: (match.here ?? match.there)?.model ?? "",
        here: sideOf(match.here),
        source: sideOf(match.there),
      });
  }
  report.totals = { here: String(sums.here), source: String(sums.source) };
  const { compared, equal, deviating, ambiguous, missing_there, missing_here } = report.calls;
  report.ok =
    compared > 0 && compared === equal && deviating + ambiguous + missing_there + missing_here === 0;
  return report;
}

function kindOf({ here, there, isAmbiguous }: Match, tolerance: bigint): DeviationKind | undefined {
  if (isAmbiguous) return "ambiguous";
  if (there === undefined) return "missing_there";
  if (here === undefined) return "missing_here";
  const distance = here.points > there.points ? here.points - there.points : there.points - here.points;
  return distance > tolerance ? "charge" : undefined;
}

function causesOf({ here, there }: Match): Cause[] {
  if (here === undefined || there === undefined) return [];
  const causes: Cause[] = [];
  if (here.input !== there.input || here.output !== there.output) causes.push("tokens");
  if (here.price !== undefined && there.price !== undefined) {
    if (here.price.groupRatio !== there.price.groupRatio) causes.push("group_ratio");
    if (here.price.input !== there.price.input || here.price.output !== there.price.output)
      causes.push("price");
  }
  return causes.length === 0 ? ["unknown"] : causes;
}

function sideOf(charge: Charge | undefined): Side | null {
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

interface StoredCharge {
  request_id: string;
  created_at: Date;
  request_time: number;
  model: string;
  prompt_tokens: bigint;
  completion_tokens: bigint;
  quota: bigint;
  bill: unknown;
}

async function chargesHere({ database, channel, since, until, windowMs }: CompareOptions): Promise<Charge[]> {
  const { rows } = await database.pool.query<StoredCharge>(
    // The gateway behind the channel knows the model by the name that was sent to it.
    `SELECT request_id, created_at, request_time, COALESCE(NULLIF(upstream_model, ''), model_name) AS model,
            prompt_tokens, completion_tokens, quota, bill
       FROM request_logs
      WHERE channel_id = $1 AND type = ${LogType.consume} AND created_at >= $2 AND created_at <= $3
      ORDER BY created_at LIMIT ${mostCalls + 1}`,
    [channel.id, new Date(since.getTime() - windowMs), until],
  );
  if (rows.length > mostCalls) throw tooMany();
  return rows.map((row) => {
    const startedAt = row.created_at.getTime();
    return {
      id: row.request_id,
      startedAt,
      endedAt: startedAt + row.request_time,
      model: row.model,
      input: Number(row.prompt_tokens),
      output: Number(row.completion_tokens),
      points: row.quota,
      price: priceHere(row.bill),
    };
  });
}

function priceHere(stored: unknown): LogPrice | undefined {
  const bill = Bill.safeParse(stored).data;
  if (bill === undefined) return undefined;
  const ratio = (...kinds: string[]) =>
    Number(bill.lines.find(({ kind }) => kinds.includes(kind))?.ratio ?? 0);
  return {
    groupRatio: Number(bill.group_ratio),
    input: ratio("input", "calls"),
    output: ratio("output"),
  };
}

async function chargesThere(options: CompareOptions): Promise<Charge[]> {
  const { source, product, keyName, username, since, until, windowMs } = options;
  if (product.logs === undefined) return [];
  const context = {
    source,
    book: createReportBook(),
    options: await readOptions(source),
    now: until,
    priceFile: undefined,
  };
  const unit = unitOf(context.options);
  const charges: Charge[] = [];
  const owners = new Set<number>();
  for await (const row of product.logs(context, new Date(since.getTime() - windowMs))) {
    if (row.type !== LogType.consume || row.tokenName !== keyName) continue;
    if (username !== undefined && row.username !== username) continue;
    // Its clock may be ahead.
    if (row.createdAt.getTime() > until.getTime() + windowMs) continue;
    owners.add(row.userId);
    if (owners.size > 1)
      throw new ImportRefusal(
        `More than one account has a key with the name “${keyName}” in ${source.origin}. Name the account with --username.`,
      );
    if (charges.length === mostCalls) throw tooMany();
    charges.push(chargeThere(row, unit, product));
  }
  return charges;
}

/** Points of the other gateway for one dollar. */
function unitOf(options: ReadonlyMap<string, string>): bigint {
  const unit = Math.round(Number(options.get("QuotaPerUnit") ?? POINTS_PER_USD));
  return Number.isSafeInteger(unit) && unit > 0 ? BigInt(unit) : BigInt(POINTS_PER_USD);
}

function chargeThere(row: LogRecord, unit: bigint, product: Product): Charge {
  const at = row.createdAt.getTime();
  return {
    id: row.id,
    startedAt: at,
    // LiteLLM writes when a call began, the others when it ended.
    endedAt: product.id === "litellm" ? at + row.requestTime : at,
    model: row.model,
    input: row.promptTokens,
    output: row.completionTokens,
    points: (row.quota * BigInt(POINTS_PER_USD) + unit / 2n) / unit,
    price: row.price,
  };
}

function tooMany(): ImportRefusal {
  return new ImportRefusal(
    `There are more than ${mostCalls} calls. Compare fewer hours: give a smaller number after --hours.`,
  );
}
