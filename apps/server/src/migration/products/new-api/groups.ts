import { groupsOf, objectOption } from "#migration/family/go-options.ts";
import type { ReadContext } from "#migration/products/product.ts";
import type { GroupRecord } from "#migration/records.ts";
import { parseJson, record } from "#migration/row.ts";
import { reportLostTables } from "./lost-tables.ts";

/** What New API lets every user choose until an administrator saves the groups. */
const firstUsable = { default: "default", vip: "vip" };

export async function* newApiGroups(context: ReadContext): AsyncGenerator<GroupRecord> {
  const limits = objectOption(context, "ModelRequestRateLimitGroup");
  const isLimited = context.options.get("ModelRequestRateLimitEnabled") === "true";
  const minutes = Number(context.options.get("ModelRequestRateLimitDurationMinutes")) || 1;
  yield* groupsOf(context, usableByAll(context), (symbol) => {
    const limit = limits[symbol];
    const count = Array.isArray(limit) ? Number(limit[0]) : 0;
    return isLimited && count > 0 ? Math.max(1, Math.floor(count / minutes)) : undefined;
  });
  await reportLostTables(context);
}

function usableByAll(context: ReadContext): Record<string, unknown> {
  return context.options.has("UserUsableGroups") ? objectOption(context, "UserUsableGroups") : firstUsable;
}

const special = "group_ratio_setting.group_special_usable_group";

/** Groups that a key may name, by the group of its owner. */
export function usableGroups(context: ReadContext): (ownGroup: string) => ReadonlySet<string> {
  const forAll = Object.keys(usableByAll(context));
  const changes = objectOption(context, special);
  const known = new Map<string, ReadonlySet<string>>();
  return (ownGroup) => {
    const found = known.get(ownGroup);
    if (found !== undefined) return found;
    const groups = new Set(forAll);
    // "+:name" or "name" adds a group for the members of another one, "-:name" takes it away.
    for (const change of Object.keys(record(changes[ownGroup])))
      if (change.startsWith("-:")) groups.delete(change.slice(2));
      else groups.add(change.replace(/^\+:/, ""));
    groups.add(ownGroup);
    known.set(ownGroup, groups);
    return groups;
  };
}

/** The groups that "auto" stands for, in their order. */
export function autoGroups({ options }: ReadContext): string[] {
  const value = parseJson(options.get("AutoGroups") ?? '["default"]');
  return Array.isArray(value) ? value.map(String) : [];
}
