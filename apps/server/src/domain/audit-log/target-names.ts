import { lookupTable } from "@gateway/shared/lookup-table";
import type { Db } from "#platform/database/db.ts";
import type { AuditEntry } from "#platform/prisma/client.ts";

type Target = Pick<AuditEntry, "target_type" | "target_id" | "before" | "after">;
type NamedRow = { id: number; name: string };
type Where = { where: { id: { in: number[] } } };

/** How the current names of targets are found. Other targets have a name as their id. */
const finders = lookupTable<(db: Db, ids: Where) => Promise<NamedRow[]>>({
  channel: (db, ids) => db.channel.findMany({ ...ids, select: { id: true, name: true } }),
  token: (db, ids) => db.token.findMany({ ...ids, select: { id: true, name: true } }),
  payment: (db, ids) => db.paymentGateway.findMany({ ...ids, select: { id: true, name: true } }),
  redemption: (db, ids) => db.redemption.findMany({ ...ids, select: { id: true, name: true } }),
  mcp_server: (db, ids) => db.mcpServer.findMany({ ...ids, select: { id: true, name: true } }),
  mcp_bundle: (db, ids) => db.mcpBundle.findMany({ ...ids, select: { id: true, name: true } }),
  async user(db, ids) {
    const users = await db.user.findMany({ ...ids, select: { id: true, username: true } });
    return users.map(({ id, username }) => ({ id, name: username }));
  },
  async telegram_menu(db, ids) {
    const menus = await db.telegramMenu.findMany({ ...ids, select: { id: true, command: true } });
    return menus.map(({ id, command }) => ({ id, name: command }));
  },
});

/** Largest id of a row. A target may name anything. */
const MOST = 2_147_483_647;

/**
 * Returns the current name of each entry's target. A deleted target has the name that the entry recorded, or "".
 * One query per type of target, whatever the number of entries.
 */
export async function targetNames(db: Db, entries: readonly Target[]): Promise<string[]> {
  const names = new Map<string, string>();
  for (const [type, find] of Object.entries(finders)) {
    const ids = new Set(entries.filter((entry) => entry.target_type === type).map(idOf));
    const known = [...ids].filter((id) => id !== null);
    if (known.length === 0) continue;
    for (const { id, name } of await find(db, { where: { id: { in: known } } }))
      names.set(`${type} ${id}`, name);
  }
  return entries.map(
    (entry) =>
      names.get(`${entry.target_type} ${entry.target_id}`) ??
      (entry.target_type in finders ? recordedName(entry.after) || recordedName(entry.before) : ""),
  );
}

function idOf({ target_id }: Target): number | null {
  const id = /^[1-9]\d{0,9}$/.test(target_id) ? Number(target_id) : 0;
  return id > 0 && id <= MOST ? id : null;
}

function recordedName(values: unknown): string {
  if (typeof values !== "object" || values === null) return "";
  for (const field of ["name", "username", "command"]) {
    const value: unknown = Reflect.get(values, field);
    if (typeof value === "string") return value;
  }
  return "";
}
