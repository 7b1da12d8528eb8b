import { randomUUID } from "node:crypto";
import type { QuotaChange } from "@gateway/shared/accounts/user";
import { writeAudit } from "#domain/audit-log/audit.ts";
import { credit } from "#domain/ledger/balances/credit.ts";
import { recallLeases } from "#domain/ledger/leases/recall-leases.ts";
import { currentTime } from "#platform/clock.ts";
import type { PrismaClient } from "#platform/prisma/client.ts";
import { lockTarget } from "./administration.ts";
import { type Administrator, requireMayChange } from "./authority.ts";

const DAY_MS = 86_400_000;

/**
 * Changes a balance by one credit with its reason, and returns it. Only root may also change the own balance,
 * because no other user could.
 * @param validityDays days after which an added credit expires; 0 if credits do not expire
 */
export async function changeBalance(
  db: PrismaClient,
  actor: Administrator,
  userId: number,
  { quota: amount, remark }: QuotaChange,
  validityDays: number,
): Promise<bigint> {
  if (amount < 0) await recallLeases(db, userId);
  return db.$transaction(async (tx) => {
    const user = await lockTarget(tx, actor, userId);
    requireMayChange(actor, user, { part: "money" });
    const reference = randomUUID();
    // A credit extends the expiry of a balance that has one. It does not give an expiry to a balance without
    // one.
    const prolongs = amount > 0 && validityDays > 0 && user.quota_expires_at !== null;
    const after = await credit(tx, {
      userId: user.id,
      kind: "admin",
      amount: BigInt(amount),
      reference,
      reason: remark,
      actorId: actor.id,
      ip: actor.ip,
      ...(prolongs ? { validUntil: new Date(currentTime().getTime() + validityDays * DAY_MS) } : {}),
    });
    await writeAudit(tx, {
      actor,
      action: "user.quota",
      targetType: "user",
      targetId: user.id,
      before: { quota: user.quota },
      after: { quota: after, change: amount, remark, reference },
    });
    return after;
  });
}
