/**
 * What the groups of a person at a provider give to the account: user group, role and budget. Applied at each
 * sign-in, so that whoever leaves a group loses what it gave.
 */
import { isDeepStrictEqual } from "node:util";
import type { AssignmentRule } from "@gateway/shared/accounts/identity-provider";
import { Role } from "@gateway/shared/accounts/roles";
import { DEFAULT_GROUP } from "@gateway/shared/channels/group";
import { columnsOfRole } from "#domain/accounts/authority.ts";
import { lockUser } from "#domain/accounts/users.ts";
import { type Actor, writeAudit } from "#domain/audit-log/audit.ts";
import { forbidden } from "#errors.ts";
import { announce } from "#platform/announcements.ts";
import { lockGroups } from "#platform/database/group-locks.ts";
import { type IdentityProvider, Prisma } from "#platform/prisma/client.ts";
import { rulesOf } from "./identity-providers.ts";

/** Decided values. An absent one is not decided by any rule of the provider, matching or not. */
export interface Assignment {
  group?: string;
  role?: number;
  budget?: AssignmentRule["budget"];
}

/**
 * Returns what the rules decide for a person. For each value, the first matching rule that has one wins. A value
 * that some rule has is decided for everyone: without a matching rule, it is the default.
 * @param groups the groups of the person at the provider
 */
export function decideAssignment(
  rules: readonly AssignmentRule[],
  groups: readonly string[],
  mayAdminister: boolean,
): Assignment {
  const own = new Set(groups);
  const matching = rules.filter(({ external_group }) => own.has(external_group));
  const highest = mayAdminister ? Role.admin : Role.reliable;
  const decided: Assignment = {};
  if (rules.some(({ group }) => group !== ""))
    decided.group = matching.find(({ group }) => group !== "")?.group ?? DEFAULT_GROUP;
  if (rules.some(({ role }) => role !== null))
    decided.role = Math.min(matching.find(({ role }) => role !== null)?.role ?? Role.user, highest);
  if (rules.some(({ budget }) => budget !== null))
    decided.budget = matching.find(({ budget }) => budget !== null)?.budget ?? null;
  return decided;
}

/** Throws `forbidden` if only members may sign in and no rule matches the person. */
export function requireMember(provider: IdentityProvider, groups: readonly string[]): void {
  if (!provider.members_only) return;
  if (rulesOf(provider).some(({ external_group }) => groups.includes(external_group))) return;
  throw forbidden({ reason: "sign_in_not_member" });
}

/** Returns whether the provider may change this account. It never changes root. */
export function mayAssign(provider: Pick<IdentityProvider, "may_administer">, role: number): boolean {
  return role < Role.root && (role < Role.admin || provider.may_administer);
}

/**
 * Applies the rules to an account. An administrator is left unchanged unless the provider may manage
 * administrators; root always is.
 */
export async function applyAssignment(
  tx: Prisma.TransactionClient,
  actor: Actor,
  provider: IdentityProvider,
  person: { userId: number; groups: readonly string[] },
): Promise<void> {
  const user = await lockUser(tx, person.userId);
  if (!mayAssign(provider, user.role)) return;
  const decided = decideAssignment(rulesOf(provider), person.groups, provider.may_administer);
  const data: Prisma.UserUpdateInput = {};
  // A group that was deleted since the rule was saved is not assigned.
  if (decided.group !== undefined && decided.group !== user.group) {
    if ((await lockGroups(tx, [decided.group])).has(decided.group)) data.group = decided.group;
  }
  if (decided.role !== undefined && decided.role !== user.role)
    Object.assign(data, columnsOfRole({ role: Role.admin }, user, decided.role));
  if (decided.budget !== undefined && !isDeepStrictEqual(decided.budget, user.budget))
    data.budget = decided.budget ?? Prisma.DbNull;
  if (Object.keys(data).length === 0) return;
  const after = await tx.user.update({ where: { id: user.id }, data });
  await writeAudit(tx, {
    actor,
    action: "user.assign",
    targetType: "user",
    targetId: user.id,
    before: { group: user.group, role: user.role, budget: user.budget },
    after: { group: after.group, role: after.role, budget: after.budget },
  });
  await announce(tx, "users", user.id);
}
