import type { Pool } from "#platform/database/db.ts";

/**
 * Detects account changes for users who watch their own account. Readers are collected for one second, so one
 * query per second serves all of them.
 */
export interface AccountVersions {
  /** Returns a text that changes with each call and each balance change. Rejects when the database fails. */
  read(userId: number): Promise<string>;
}

const ROUND_MS = 1_000;

/** @param readAll returns the versions of several users */
export function createAccountVersions(
  readAll: (userIds: number[]) => Promise<Map<number, string>>,
  roundMs = ROUND_MS,
): AccountVersions {
  let round: { ids: Set<number>; answer: Promise<Map<number, string>> } | undefined;

  function begin() {
    const ids = new Set<number>();
    const answer = new Promise((resolve) => setTimeout(resolve, roundMs)).then(() => {
      round = undefined;
      return readAll([...ids]);
    });
    return { ids, answer };
  }

  return {
    async read(userId) {
      round ??= begin();
      round.ids.add(userId);
      return (await round.answer).get(userId) ?? "";
    },
  };
}

/** Combines the balance with the last log row within a day, because free calls have a log row, too. */
export async function accountVersions(pool: Pool, userIds: readonly number[]): Promise<Map<number, string>> {
  const { rows } = await pool.query<{ id: number; version: string }>(
    `SELECT u.id, concat_ws('.', u.quota, u.used_quota, u.request_count, last.id) AS version
       FROM users u LEFT JOIN LATERAL (
         SELECT l.id FROM request_logs l
          WHERE l.user_id = u.id AND l.created_at > now() - interval '1 day'
          ORDER BY l.created_at DESC, l.id DESC LIMIT 1
       ) last ON true
      WHERE u.id = ANY($1::int[])`,
    [userIds],
  );
  return new Map(rows.map((row) => [row.id, row.version]));
}
