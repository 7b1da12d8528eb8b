import { DEFAULT_GROUP } from "@gateway/shared/channels/group";
import { announce } from "#platform/announcements.ts";
import type { Db } from "#platform/database/db.ts";
import { lockGroups } from "#platform/database/group-locks.ts";

/**
 * Promotes an account to the group that its total top-ups have earned: payments and codes minus refunds,
 * without gifts. It never demotes. An account that was manually put into a group without promotion stays
 * there. Returns the resulting group.
 * @param db the transaction that credits the top-up
 * @param pointsPerUsd the site's rate (`QuotaPerUnit`); the limits of groups are in dollars
 */
export async function promoteUser(db: Db, userId: number, pointsPerUsd: number): Promise<string> {
  const user = await db.user.findUniqueOrThrow({ where: { id: userId }, select: { group: true } });
  const rewards = await db.userGroup.findMany({
    where: { enable: true, promotion: true },
    orderBy: { min: "desc" },
  });
  if (rewards.length === 0) return user.group;
  const { _sum } = await db.ledgerEntry.aggregate({
    where: { user_id: userId, kind: { in: ["topup", "redemption", "refund"] } },
    _sum: { amount: true },
  });
  const dollars = Number(_sum.amount ?? 0n) / pointsPerUsd;
  const earned = rewards.find(({ min, max }) => min <= dollars && (max === 0 || dollars < max));
  if (earned === undefined || earned.symbol === user.group) return user.group;
  const now = rewards.find((group) => group.symbol === user.group);
  const byHand = now === undefined && user.group !== DEFAULT_GROUP;
  if (byHand || (now !== undefined && now.min >= earned.min)) return user.group;
  if (!(await lockGroups(db, [earned.symbol])).has(earned.symbol)) return user.group;
  await db.user.update({ where: { id: userId }, data: { group: earned.symbol } });
  await announce(db, "users", userId);
  return earned.symbol;
}
