/** Reads the charges of a channel from the two logs. */
import { POINTS_PER_USD } from "@gateway/shared/billing/money";
import { LogType } from "@gateway/shared/usage/log-type";
import { readBill, type StoredBill } from "#domain/pricing/stored-bill.ts";
import type { Product } from "#migration/products/product.ts";
import type { LogPrice, LogRecord } from "#migration/records.ts";
import { ImportRefusal } from "#migration/refusal.ts";
import { createReportBook } from "#migration/report.ts";
import { readOptions } from "#migration/run-import.ts";
import type { Source } from "#migration/sources/source.ts";
import type { Database } from "#platform/database/db.ts";
import type { LoggedCharge } from "./match.ts";

export interface ChargeQuery {
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
  /** Calls of one side; more are refused. */
  mostCalls: number;
  /** Called with the number of rows read so far. */
  onRow?: ((rows: number) => void) | undefined;
}

interface StoredCharge extends StoredBill {
  request_id: string;
  upstream_request_id: string | null;
  created_at: Date;
  request_time: number;
  model: string;
  prompt_tokens: bigint;
  completion_tokens: bigint;
  quota: bigint;
}

/** Throws ImportRefusal if there are too many calls. */
export async function readOwnCharges({
  database,
  channel,
  since,
  until,
  windowMs,
  mostCalls,
}: ChargeQuery): Promise<LoggedCharge[]> {
  const { rows } = await database.pool.query<StoredCharge>(
    // The gateway behind the channel knows the model by the name that was sent to it. The last attempt is the one that was charged.
    // Its facts have "-" for an unknown ID.
    `SELECT request_id, COALESCE(NULLIF(split_part(attempt_facts, ' ', 4), '-'),
              jsonb_path_query_array(attempts, '$[*] ? (@.channel_id == $channel).upstream_request_id',
                jsonb_build_object('channel', channel_id)) ->> -1) AS upstream_request_id, created_at, request_time, COALESCE(NULLIF(upstream_model, ''), model_name) AS model,
            prompt_tokens, completion_tokens, quota, bill, bill_facts
       FROM request_logs
      WHERE channel_id = $1 AND type = ${LogType.consume} AND created_at >= $2 AND created_at <= $3
      ORDER BY created_at LIMIT ${mostCalls + 1}`,
    [channel.id, new Date(since.getTime() - windowMs), until],
  );
  if (rows.length > mostCalls) throw tooMany(mostCalls);
  return rows.map((row) => {
    const startedAt = row.created_at.getTime();
    return {
      id: row.request_id,
      requestId: row.upstream_request_id ?? undefined,
      startedAt,
      endedAt: startedAt + row.request_time,
      model: row.model,
      input: Number(row.prompt_tokens),
      output: Number(row.completion_tokens),
      points: row.quota,
      price: priceHere(row),
    };
  });
}

function priceHere(stored: StoredBill): LogPrice | undefined {
  const bill = readBill(stored);
  if (bill === undefined) return undefined;
  const ratio = (...kinds: string[]) =>
    Number(bill.lines.find(({ kind }) => kinds.includes(kind))?.ratio ?? 0);
  return {
    groupRatio: Number(bill.group_ratio),
    input: ratio("input", "calls"),
    output: ratio("output"),
  };
}

/** Throws ImportRefusal if there are too many calls, or several accounts have a key of this name. */
export async function readLoggedCharges(options: ChargeQuery): Promise<LoggedCharge[]> {
  const { source, product, keyName, username, since, until, windowMs, mostCalls, onRow } = options;
  if (product.logs === undefined) return [];
  const context = {
    source,
    book: createReportBook(),
    options: await readOptions(source),
    now: until,
    priceFile: undefined,
  };
  const unit = unitOf(context.options);
  const charges: LoggedCharge[] = [];
  const owners = new Set<number>();
  let rows = 0;
  for await (const row of product.logs(context, new Date(since.getTime() - windowMs))) {
    onRow?.((rows += 1));
    if (row.type !== LogType.consume || row.tokenName !== keyName) continue;
    if (username !== undefined && row.username !== username) continue;
    // Its clock may be ahead.
    if (row.createdAt.getTime() > until.getTime() + windowMs) continue;
    owners.add(row.userId);
    if (owners.size > 1)
      throw new ImportRefusal(
        `More than one account has a key with the name “${keyName}” in ${source.origin}. Name the account with --username.`,
        { facts: { reason: "comparison_owners", key: keyName, origin: source.origin } },
      );
    if (charges.length === mostCalls) throw tooMany(mostCalls);
    charges.push(chargeThere(row, unit, product));
  }
  return charges;
}

/** Points of the other gateway for one dollar. */
function unitOf(options: ReadonlyMap<string, string>): bigint {
  const unit = Math.round(Number(options.get("QuotaPerUnit") ?? POINTS_PER_USD));
  return Number.isSafeInteger(unit) && unit > 0 ? BigInt(unit) : BigInt(POINTS_PER_USD);
}

function chargeThere(row: LogRecord, unit: bigint, product: Product): LoggedCharge {
  const at = row.createdAt.getTime();
  return {
    id: row.id,
    requestId: row.answerId ?? row.requestId,
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

function tooMany(mostCalls: number): ImportRefusal {
  return new ImportRefusal(
    `There are more than ${mostCalls} calls. Compare fewer hours: give a smaller number after --hours.`,
    { facts: { reason: "comparison_too_large", calls: mostCalls } },
  );
}
