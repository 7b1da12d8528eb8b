import { DEFAULT_GROUP, UserGroupInput } from "@gateway/shared/channels/group";
import { issueOf } from "@gateway/shared/errors/issue";
import { changeGroup, createGroup, deleteGroup, switchGroup } from "#domain/accounts/groups/edit-groups.ts";
import { type ApplyContext, changedNames, collectFaults, fieldChanges } from "./changes.ts";
import type { GatewayFile, GroupEntry } from "./gateway-file.ts";
import { sentence } from "./read-gateway-file.ts";

/** Writes the user groups of the file. They are identified by symbol. */
export async function applyGroups(context: ApplyContext, groups: GatewayFile["groups"]): Promise<void> {
  for (const [symbol, entry] of Object.entries(groups ?? {}))
    await collectFaults(context, ["groups", symbol], () => applyGroup(context, symbol, entry));
}

export async function pruneGroups(context: ApplyContext, groups: GatewayFile["groups"]): Promise<void> {
  for (const { id, symbol } of await context.tx.userGroup.findMany({ orderBy: { id: "asc" } })) {
    if (symbol === DEFAULT_GROUP || Object.hasOwn(groups ?? {}, symbol)) continue;
    await collectFaults(context, ["prune", symbol], async () => {
      await deleteGroup(context.tx, context.actor, id);
      context.changes.push({ kind: "group", name: symbol, action: "delete", fields: [] });
    });
  }
}

async function applyGroup(context: ApplyContext, symbol: string, entry: GroupEntry): Promise<void> {
  const { tx, actor, changes } = context;
  const { enabled, ...given } = entry;
  const path = ["groups", symbol];
  const row = await tx.userGroup.findUnique({ where: { symbol } });
  const before =
    row === null
      ? { name: symbol, min: 0, max: 0 }
      : { ...row, ratio: row.ratio.toNumber(), enabled: row.enable };
  const wanted = { ...before, ...given, symbol };
  const parsed = UserGroupInput.safeParse(wanted);
  if (!parsed.success) {
    for (const issue of parsed.error.issues) {
      const place = [...path, ...issue.path.map(String)];
      context.faults.push({ path: place, text: sentence(place, issueOf(issue, wanted)) });
    }
    return;
  }
  const after = { ...parsed.data, enabled: enabled ?? row?.enable ?? true };
  if (row === null) {
    const { id } = await createGroup(tx, actor, parsed.data);
    if (!after.enabled) await switchGroup(tx, actor, id, false);
    const fields = fieldChanges(context, path, Object.keys(entry), { after });
    changes.push({ kind: "group", name: symbol, action: "create", fields });
    return;
  }
  const names = changedNames(before, after);
  if (names.some((name) => name !== "enabled")) await changeGroup(tx, actor, row.id, parsed.data);
  if (names.includes("enabled")) await switchGroup(tx, actor, row.id, after.enabled);
  const fields = fieldChanges(context, path, names, { before, after });
  if (fields.length > 0) changes.push({ kind: "group", name: symbol, action: "change", fields });
}
