/** Explains the charge of a call from its log row alone. It must not depend on current prices. */
import type { Explanation } from "@gateway/shared/usage/explain";
import type { Bill } from "@gateway/shared/usage/log";
import { notFound } from "#errors.ts";
import type { Pool } from "#platform/database/db.ts";
import { formatDecimal } from "./decimal.ts";
import { lineCost, recompute } from "./pricing.ts";
import { hasBill, readBill, type StoredBill } from "./stored-bill.ts";

interface Row extends StoredBill {
  request_id: string;
  model_name: string;
  group: string;
  price_version_id: number;
  quota: bigint;
  estimated: boolean;
}

/**
 * Returns the explanation of a charge. Throws `not_found`.
 * @param id of the log row, or of the request
 * @param ownerId required owner of the call; undefined for administrators
 */
export async function explainCall(pool: Pool, id: string, ownerId?: number): Promise<Explanation> {
  const byRow = /^\d{1,18}$/.test(id);
  const { rows } = await pool.query<Row>(
    `SELECT request_id, model_name, "group", price_version_id, quota, bill, bill_facts, estimated
       FROM request_logs l
      WHERE ${byRow ? "id = $1::bigint" : "request_id = $1"} AND ($2::int IS NULL OR user_id = $2)
        AND ${hasBill}
      LIMIT 1`,
    [id, ownerId ?? null],
  );
  const [row] = rows;
  const bill = row === undefined ? undefined : readBill(row);
  if (row === undefined || bill === undefined) throw notFound({ reason: "bill_not_found" });
  return explain(row, bill);
}

function explain(row: Row, bill: Bill): Explanation {
  const { points, exact } = recompute(bill);
  return {
    request_id: row.request_id,
    model_name: row.model_name,
    group: row.group,
    price_type: bill.price_type,
    price_version_id: row.price_version_id,
    group_ratio: bill.group_ratio,
    service_tier: bill.service_tier ?? null,
    lines: bill.lines.map((line) => {
      const cost = lineCost(line, bill.group_ratio);
      return { ...line, points: cost, usd: dollars(cost) };
    }),
    exact: bill.exact,
    uncollected: bill.uncollected ?? "0",
    points: Number(row.quota),
    usd: dollars(row.quota.toString()),
    agrees: points === row.quota + BigInt(bill.uncollected ?? "0") && exact === bill.exact,
    estimated: row.estimated,
  };
}

/** Converts points to dollars without rounding: a point is two millionths of a dollar. */
function dollars(points: string): string {
  const [whole = "0", fraction = ""] = points.split(".");
  const scaled = BigInt(whole + fraction) * 2n;
  return formatDecimal(scaled, fraction.length + 6);
}
