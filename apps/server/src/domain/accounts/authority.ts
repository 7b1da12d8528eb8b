import type { Permissions } from "@gateway/shared/accounts/permissions";
import { mayChangeRoles, Role } from "@gateway/shared/accounts/roles";
import type { Actor } from "#domain/audit-log/audit.ts";
import { forbidden, type GatewayError, invalidRequest } from "#errors.ts";
import type { User } from "#platform/prisma/client.ts";

/**
 * Decides what an administrator may do with an account. Every route that reads or changes accounts of others
 * asks here; nothing else compares roles of two people.
 */
export interface Administrator extends Actor {
  id: number;
  role: number;
  /** Null means everything that the role allows. */
  permissions: Permissions | null;
}

type Account = Pick<User, "id" | "role" | "demoted_by_admin">;

/** What an administrator wants to change. */
export type AccountChange =
  /** Names, picture and group. */
  | { part: "profile" }
  /** Whatever decides who can sign in: password, address, links, sessions, status, deletion. */
  | { part: "access" }
  /** Balance and budget. */
  | { part: "money" }
  | { part: "tokens" }
  | { part: "role"; role: number }
  /** @property role the role of the account after the change */
  | { part: "permissions"; role: number };

/** The lowest role that may change this part of the own account by the routes for other accounts. */
const leastForOwn: Readonly<Record<AccountChange["part"], number>> = {
  profile: Role.root,
  // Through the profile only, which asks for the current password.
  access: Infinity,
  // No one else could.
  money: Role.root,
  tokens: Role.admin,
  role: Infinity,
  permissions: Infinity,
};

/**
 * Checks a change of an account. Throws `forbidden`, or `invalid_request` for permissions of a role that has none.
 *
 * - No one changes an account of an equal or higher role. Root is above everyone except root.
 * - Roles are changed by root and by administrators with all permissions. They give and take the administrator
 *   role, so this is the only change of an account of their own role.
 * - An account that lost the administrator role this way is changed by root only, except for its role. Otherwise
 *   an administrator could take over another one: demote, set a password, promote.
 * - Permissions are changed by root only.
 */
export function requireMayChange(actor: Administrator, target: Account, change: AccountChange): void {
  if (actor.id === target.id) {
    if (actor.role >= leastForOwn[change.part]) return;
    throw forbidden({ reason: change.part === "role" ? "own_role" : "own_account" });
  }
  if (change.part === "role") {
    requireMayGive(actor, change.role);
    const takesRole = target.role === actor.role && actor.role < Role.root && change.role < target.role;
    if (!takesRole) requireBelow(actor, target);
    return;
  }
  requireBelow(actor, target);
  if (change.part === "permissions") requireMayPermit(actor, change.role);
  if (target.demoted_by_admin && actor.role < Role.root) throw forbidden({ reason: "demoted_account" });
}

/** Returns whether the administrator may read an account: the own one, and those of a lower role. */
export function mayRead(
  actor: Pick<Administrator, "id" | "role">,
  target: Pick<User, "id" | "role">,
): boolean {
  return actor.id === target.id || isBelow(actor, target);
}

/** Throws `forbidden` for an account that the administrator may not read. */
export function requireMayRead(actor: Administrator, target: Pick<User, "id" | "role">): void {
  if (!mayRead(actor, target)) throw rankTooHigh();
}

/**
 * Checks the role, and permissions if there are any, of a new account. Throws like `requireMayChange`.
 */
export function requireMayCreate(
  actor: Administrator,
  account: { role: number; permissions?: Permissions | null | undefined },
): void {
  if (account.role !== Role.user) requireMayGive(actor, account.role);
  if (account.permissions !== undefined) requireMayPermit(actor, account.role);
}

/** Returns the columns that change with a role. The caller has checked the change. */
export function columnsOfRole(
  actor: Pick<Administrator, "role">,
  target: Account,
  role: number,
): Pick<User, "role" | "demoted_by_admin"> {
  if (actor.role >= Role.root || role >= Role.admin) return { role, demoted_by_admin: false };
  return { role, demoted_by_admin: target.demoted_by_admin || target.role >= Role.admin };
}

function isBelow(actor: Pick<Administrator, "role">, target: Pick<User, "role">): boolean {
  return target.role < actor.role;
}

function requireBelow(actor: Administrator, target: Pick<User, "role">): void {
  if (!isBelow(actor, target)) throw rankTooHigh();
}

function rankTooHigh(): GatewayError {
  return forbidden({ reason: "rank_too_high" });
}

function requireMayGive(actor: Administrator, role: number): void {
  if (role > Math.min(actor.role, Role.admin)) throw forbidden({ reason: "role_too_high" });
  if (!mayChangeRoles(actor)) throw forbidden({ reason: "roles_need_all_rights" });
}

/**
 * Permissions remain stored when the role changes: a user who becomes an administrator again has the same
 * permissions as before.
 */
function requireMayPermit(actor: Administrator, role: number): void {
  if (actor.role < Role.root) throw forbidden({ reason: "rights_by_root_only" });
  if (role === Role.admin) return;
  throw invalidRequest({ reason: "rights_need_admin_role" }, { field: "permissions" });
}
