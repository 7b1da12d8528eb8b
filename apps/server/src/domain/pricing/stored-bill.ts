/**
 * The bill of a log row. Rows of days that have ended contain its facts in a short form (domain/logs/compact-rows.sql),
 * all others the bill itself.
 */
import { Bill } from "@gateway/shared/usage/log";
import { recompute } from "./pricing.ts";

export interface StoredBill {
  bill: unknown;
  bill_facts: string | null;
}

/** Condition on rows `l` of the log: they have a bill in one of both forms. */
export const hasBill = "(l.bill IS NOT NULL OR l.bill_facts IS NOT NULL)";

/** Returns the bill; undefined for a row without one, and for the unreadable bill of another version. */
export function readBill({ bill, bill_facts: facts }: StoredBill): Bill | undefined {
  if (facts === null) return Bill.safeParse(bill).data;
  const [priceType = "", groupRatio = "", ...rest] = facts.split(" ");
  const lines: Bill["lines"] = [];
  for (let at = 0; at < rest.length; at += 3) {
    const [kind = "", amount, ratio = ""] = rest.slice(at, at + 3);
    lines.push({ kind, amount: Number(amount), ratio });
  }
  const computed: Bill = { price_type: priceType, group_ratio: groupRatio, lines, exact: "" };
  return { ...computed, exact: recompute(computed).exact };
}
