/**
 * Audit log of the console. It must never contain a secret: values that look like one are masked before they
 * are written.
 */
import { Role } from "@gateway/shared/accounts/roles";
import type { Db } from "#platform/database/db.ts";
import { Prisma } from "#platform/prisma/client.ts";

export interface Actor {
  /** Null for the process itself. */
  id: number | null;
  username: string;
  ip: string;
  /** Role of a user, where a rule depends on it. */
  role?: number;
}

export const systemActor: Actor = { id: null, username: "system", ip: "" };

export interface AuditRecord {
  actor: Actor;
  /** Noun and verb, e.g. `channel.create`. */
  action: string;
  targetType: string;
  targetId: string | number;
  before?: unknown;
  after?: unknown;
}

/** Longest state in the row of a user's own change, as JSON. Users could otherwise fill the disk for free. */
const longestOfUser = 2_048;
/** What stays of a longer state: characters of each text, and entries of each list. */
const keptLetters = 80;
const keptEntries = 5;

/** Writes an audit row. `db` is the transaction of the change. */
export async function writeAudit(db: Db, note: AuditRecord): Promise<void> {
  const { role } = note.actor;
  const asJson = role !== undefined && role < Role.admin ? briefJson : wholeJson;
  await db.auditEntry.create({
    data: {
      user_id: note.actor.id,
      username: note.actor.username,
      action: note.action,
      target_type: note.targetType,
      target_id: String(note.targetId).slice(0, 128),
      before: asJson(note.before),
      after: asJson(note.after),
      ip: note.actor.ip.slice(0, 64),
    },
  });
}

/** Returns the function that writes the rows about one kind of target. @param idOf the id of a target in the log */
export function createAuditor<Row>(targetType: string, idOf: (row: Row) => string | number) {
  return async (
    tx: Db,
    actor: Actor,
    action: string,
    before: Row | undefined,
    after: Row | undefined,
  ): Promise<void> => {
    const row = after ?? before;
    const targetId = row === undefined ? "" : idOf(row);
    await writeAudit(tx, { actor, action, targetType, targetId, before, after });
  };
}

type Json = Prisma.InputJsonValue | typeof Prisma.DbNull;

function wholeJson(value: unknown): Json {
  return value === undefined || value === null
    ? Prisma.DbNull
    : (maskSecrets(value) as Prisma.InputJsonValue);
}

function briefJson(value: unknown): Json {
  const json = wholeJson(value);
  return json === Prisma.DbNull || JSON.stringify(json).length <= longestOfUser
    ? json
    : (shortenValue(json) as Prisma.InputJsonValue);
}

/** Returns a copy whose texts and lists end early, with "…" in place of the rest. */
function shortenValue(value: unknown): unknown {
  if (typeof value === "string")
    return value.length > keptLetters ? `${value.slice(0, keptLetters)}…` : value;
  if (value === null || typeof value !== "object") return value;
  if (!Array.isArray(value))
    return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, shortenValue(part)]));
  const kept = value.slice(0, keptEntries).map(shortenValue);
  return value.length > keptEntries ? [...kept, `… ${value.length - keptEntries}`] : kept;
}

const secretName =
  /password|secret|credential|authorization|cookie|api[-_]?key|^key$|_key$|_hash$|encrypted|^token$/i;
const MASK = "***";

/** Returns a JSON-compatible copy in which secrets are masked, by field name or as the password of a URL. */
export function maskSecrets(value: unknown): unknown {
  if (typeof value === "bigint") return Number(value);
  if (typeof value === "string") return value.replace(/(\w:\/\/[^/\s:@]*):[^/\s@]+@/g, `$1:${MASK}@`);
  if (value === null || typeof value !== "object") return value ?? null;
  if (value instanceof Date) return value.toISOString();
  if (value instanceof Uint8Array) return MASK;
  if (Array.isArray(value)) return value.map(maskSecrets);
  if (Prisma.Decimal.isDecimal(value)) return Number(value);
  return Object.fromEntries(
    Object.entries(value).map(([name, part]) => [name, isSecret(name, part) ? MASK : maskSecrets(part)]),
  );
}

function isSecret(name: string, value: unknown): boolean {
  return secretName.test(name) && value !== null && value !== undefined && value !== "";
}
