import { plainReason, type Reason } from "@gateway/shared/reasons";
import { LogType } from "@gateway/shared/usage/log-type";
import { bookCharges } from "#domain/ledger/bookings/book-charges.ts";
import { conflict, internalError, invalidRequest, notFound } from "#errors.ts";
import type { Db } from "#platform/database/db.ts";
import { readStatement } from "#platform/database/prepared-statement.ts";

export type CreditKind = "topup" | "redemption" | "gift" | "invite" | "admin" | "refund" | "expiry" | "task";

export interface CreditInput {
  userId: number;
  kind: CreditKind;
  /** Points. Negative amounts deduct, at most the balance minus open reservations. */
  amount: bigint;
  /** Unique per kind: a second credit with the same reference has no effect. */
  reference: string;
  /** A predefined reason, or free text that a person entered. */
  reason: Reason | string;
  /** The user who made the change, if any. */
  actorId?: number;
  ip?: string;
  /** New expiry of the whole balance; unchanged when absent. */
  validUntil?: Date;
}

/** Maximum number of points per movement. Amounts are sent as JSON numbers. */
export const largestAmount = BigInt(Number.MAX_SAFE_INTEGER);

const creditStatement = readStatement(import.meta.url, "credit.sql");

const logTypeOf: Record<CreditKind, number> = {
  topup: LogType.topUp,
  redemption: LogType.topUp,
  admin: LogType.manage,
  gift: LogType.system,
  invite: LogType.system,
  refund: LogType.system,
  expiry: LogType.system,
  task: LogType.system,
};

/**
 * Changes a balance with its ledger entry and log row, in the caller's transaction or its own. Returns the
 * new balance. Throws `invalid_request` when the balance does not cover a deduction. Throws `conflict` when
 * the reference belongs to a different credit.
 */
export async function credit(db: Db, input: CreditInput): Promise<bigint> {
  const { userId, kind, amount, reference } = input;
  if (amount === 0n || amount > largestAmount || amount < -largestAmount) {
    throw invalidRequest({ reason: "credit_amount" });
  }
  if (reference === "" || reference.length > 128) {
    throw internalError(new Error("A credit needs a reference of at most 128 characters."));
  }
  await bookCharges(db, userId);
  const reason = typeof input.reason === "string" ? plainReason(input.reason) : input.reason;
  const [row] = await db.$queryRawUnsafe<{ balance: bigint; entry_id: bigint | null }[]>(
    creditStatement.text,
    userId,
    kind,
    amount,
    reference,
    reason.text,
    input.actorId ?? null,
    logTypeOf[kind],
    input.ip ?? "",
    input.validUntil ?? null,
    JSON.stringify(reason.facts),
  );
  if (row === undefined) throw notFound({ reason: "user_not_found" });
  if (row.entry_id !== null) return row.balance;
  const entry = await db.ledgerEntry.findUnique({ where: { kind_reference: { kind, reference } } });
  if (entry === null) {
    if (amount > 0n) throw invalidRequest({ reason: "balance_too_high" });
    throw invalidRequest({ reason: "balance_too_low" });
  }
  if (entry.user_id !== userId || entry.amount !== amount) {
    throw conflict({ reason: "credit_reference_taken" });
  }
  const user = await db.user.findUniqueOrThrow({ where: { id: userId }, select: { quota: true } });
  return user.quota;
}
