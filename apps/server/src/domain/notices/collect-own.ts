/** Inbox entries for users, derived from logs: rejected calls, and changes of their account. */
import { lookupTable } from "@gateway/shared/lookup-table";
import type { OwnEvent } from "@gateway/shared/site/inbox";
import { addToInbox } from "#domain/inbox/entries.ts";
import { Prisma, type PrismaClient } from "#platform/prisma/client.ts";
import { openCursor } from "./cursor.ts";

/** Codes of calls that are rejected until the user acts. */
const refusals = ["insufficient_quota", "token_quota_exhausted", "spend_limit_reached", "budget_exceeded"];
/** Rejected calls that are older are not reported: no node was running. */
const RECENT = "10 minutes";
const MOST_AT_ONCE = 1_000;

/** Counts rejected calls by account and reason, and by token if the token is the reason. */
export async function collectRefusedCalls(db: PrismaClient): Promise<void> {
  await db.$transaction(async (tx) => {
    const cursor = await openCursor(
      tx,
      "refused-calls",
      Prisma.sql`SELECT max(id) FROM request_logs WHERE type = 5 AND created_at > now() - ${RECENT}::interval`,
    );
    const rows = await tx.$queryRaw<
      { user_id: number; code: string; token_id: number; token: string; count: number; last: bigint }[]
    >`
      SELECT user_id, error_code AS code, CASE error_code WHEN 'insufficient_quota' THEN 0 ELSE token_id END AS token_id,
        max(token_name) AS token, count(*)::int AS count, max(id) AS last
      FROM request_logs
      WHERE type = 5 AND created_at > now() - ${RECENT}::interval AND id > ${cursor.position}
        AND user_id > 0 AND error_code = ANY(${refusals}::text[])
      GROUP BY 1, 2, 3 ORDER BY max(id) LIMIT ${MOST_AT_ONCE}`;
    for (const { user_id, code, token_id, token, count } of rows)
      await addToInbox(tx, user_id, {
        event: "calls-refused",
        topic: `${code}:${token_id}`,
        facts: token_id === 0 ? { code } : { code, token, token_id: String(token_id) },
        times: count,
      });
    await cursor.moveTo(rows.at(-1)?.last);
  });
}

/** Changes of an account that are reported to its owner, by their audit action. */
const changes = lookupTable<OwnEvent>({
  "user.password": "password-changed",
  "user.password_reset": "password-changed",
  "user.totp_enable": "second-factor-on",
  "user.totp_disable": "second-factor-off",
  "user.totp_recovery": "recovery-codes-renewed",
  "user.passkey_add": "passkey-added",
  "user.passkey_remove": "passkey-removed",
  "user.access_token": "access-token-created",
  "user.email": "email-changed",
  "user.bind": "sign-in-linked",
  "user.unbind": "sign-in-unlinked",
});
/** Delay before rows are read: a row may become visible after one with a higher id. */
const SETTLED = "3 seconds";

export async function collectAccountChanges(db: PrismaClient): Promise<void> {
  await db.$transaction(async (tx) => {
    const cursor = await openCursor(tx, "account-changes", Prisma.sql`SELECT max(id) FROM audit_entries`);
    const rows = await tx.$queryRaw<
      {
        id: bigint;
        action: string;
        target_id: string;
        user_id: number | null;
        username: string;
        ip: string;
      }[]
    >`
      SELECT id, action, target_id, user_id, username, ip FROM audit_entries
      WHERE id > ${cursor.position} AND target_type = 'user' AND action = ANY(${Object.keys(changes)}::text[])
        AND created_time < now() - ${SETTLED}::interval
      ORDER BY id LIMIT ${MOST_AT_ONCE}`;
    for (const { id, action, target_id, user_id, username, ip } of rows) {
      const owner = Number(target_id);
      const event = changes[action];
      if (event === undefined || !Number.isInteger(owner)) continue;
      // If an administrator made the change, the owner does not see the administrator's address.
      const facts: Record<string, string> = user_id === owner ? { ip } : { by: username };
      await addToInbox(tx, owner, { event, topic: `change:${id}`, facts });
    }
    await cursor.moveTo(rows.at(-1)?.id);
  });
}
