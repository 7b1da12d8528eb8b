/** Checks what an owner enters for a token: groups, billing tag, expiry and addresses. Writes nothing. */
import { can } from "@gateway/shared/accounts/roles";
import { NEVER_EXPIRES, type TokenInput, type TokenSetting } from "@gateway/shared/accounts/token";
import ipaddr from "ipaddr.js";
import { usableGroups } from "#domain/accounts/groups/groups.ts";
import { forbidden, GatewayError, invalidRequest } from "#errors.ts";
import type { Db } from "#platform/database/db.ts";
import { lockGroups } from "#platform/database/group-locks.ts";
import type { Token } from "#platform/prisma/client.ts";
import { requireShortLists } from "./storage-limits.ts";

interface Owner {
  role: number;
  /** Symbol of the owner's own group. */
  group: string;
}

/** 31 December 9999. The database cannot print later dates. */
const LATEST = 253_402_300_799;

/** A token as its owner enters it, with the quota that results. */
export type TokenColumns = Omit<TokenInput, "remain_quota"> & { remain_quota: bigint };

/**
 * Returns the columns of a token. Throws `invalid_request`, `forbidden` or `group_not_allowed` with the field.
 * @param actor the user whose role decides about the billing tag, if it is not the owner
 */
export async function columnsOf(
  db: Db,
  owner: Owner,
  input: TokenColumns,
  before?: Token,
  actor: Pick<Owner, "role"> = owner,
) {
  await mayUseGroups(db, owner, input);
  return {
    ...billingTagOf(actor, input.billing_tag, before?.billing_tag ?? ""),
    name: input.name,
    expired_time: expiryOf(input.expired_time),
    unlimited_quota: input.unlimited_quota,
    remain_quota: input.remain_quota,
    group: input.group,
    backup_group: input.backup_group,
    setting: checkedSetting(input.setting),
  };
}

function billingTagOf({ role }: Pick<Owner, "role">, wanted: string | undefined, now: string) {
  // A user who cannot see billing tags sends back the empty tag that was shown.
  if (wanted === undefined || wanted === now) return {};
  if (can(role, "seeBillingTag")) return { billing_tag: wanted };
  if (wanted === "") return {};
  throw forbidden({ reason: "billing_tag" }, { field: "billing_tag" });
}

async function mayUseGroups(
  db: Db,
  owner: Pick<Owner, "group">,
  { group, backup_group }: TokenColumns,
): Promise<void> {
  if (backup_group !== "" && backup_group === (group === "" ? owner.group : group)) {
    throw invalidRequest({ reason: "backup_group_same" }, { field: "backup_group" });
  }
  await lockGroups(db, [group, backup_group]);
  const usable = new Set((await usableGroups(db, owner.group)).map((each) => each.symbol));
  for (const [field, symbol] of Object.entries({ group, backup_group })) {
    if (symbol === "" || usable.has(symbol)) continue;
    throw new GatewayError(
      "group_not_allowed",
      { reason: "group_not_for_account", group: symbol },
      { field },
    );
  }
}

function expiryOf(time: number): Date | null {
  if (time === NEVER_EXPIRES) return null;
  if (time <= LATEST) return new Date(time * 1000);
  throw invalidRequest({ reason: "expiry_too_far" }, { field: "expired_time" });
}

function checkedSetting(setting: TokenSetting): TokenSetting {
  requireShortLists(setting);
  const addresses = setting.limits.limits_ip_setting;
  const whitelist = addresses.whitelist.map((entry) => entry.trim());
  for (const [index, entry] of whitelist.entries()) {
    if (isAddress(entry)) continue;
    const path = `setting.limits.limits_ip_setting.whitelist.${index}`;
    throw invalidRequest({ reason: "address_range", entry }, { field: path });
  }
  return { ...setting, limits: { ...setting.limits, limits_ip_setting: { ...addresses, whitelist } } };
}

/** Returns whether a text is an IP address or a range. */
export function isAddress(text: string): boolean {
  const parsable = text.includes("/") ? ipaddr.isValidCIDR(text) : ipaddr.isValid(text);
  // The library also accepts abbreviated forms such as 10.1 and 0x7f.1, which are surely mistakes.
  return parsable && (text.includes(":") || /^\d+\.\d+\.\d+\.\d+(\/\d+)?$/.test(text));
}
