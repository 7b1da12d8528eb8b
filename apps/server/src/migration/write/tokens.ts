import { stageTokenUse } from "#domain/ledger/opening-balances.ts";
import { sealHash, sealKey } from "#domain/tokens/keys.ts";
import type { TokenRecord } from "#migration/records.ts";
import { jsonRows } from "./json-rows.ts";
import { existing, inBatches, type WriteContext } from "./write-context.ts";

/**
 * Keys that go on working: found by their keyed hash, shown from their encrypted copy.
 * @param onWritten sees every key that is stored, for the proof
 */
export async function writeTokens(
  context: WriteContext,
  records: AsyncIterable<TokenRecord>,
  onWritten: (token: TokenRecord) => void,
): Promise<void> {
  const { tx, book } = context;
  await inBatches(context, "tokens", records, async (batch) => {
    const owners = await existing(
      tx,
      "users",
      batch.map((token) => token.userId),
    );
    const rows: { token: TokenRecord; data: Awaited<ReturnType<typeof columnsOf>> }[] = [];
    for (const token of batch) {
      if (!owners.has(token.userId)) {
        book.skip("tokens", "token_owner", `token ${token.id}`);
        continue;
      }
      rows.push({ token, data: await columnsOf(context, token) });
    }
    const stored = await tx.$queryRawUnsafe<{ id: number }[]>(
      `INSERT INTO tokens (id, user_id, name, key_hash, key_encrypted, key_hint, status, created_time, accessed_time, expired_time,
         unlimited_quota, remain_quota, "group", backup_group, setting, billing_tag, budget, deleted_at)
       SELECT id, user_id, name, key_hash, key_encrypted, key_hint, status, created_time, accessed_time, expired_time,
         unlimited_quota, remain_quota, "group", backup_group, setting, billing_tag, budget, deleted_at
       FROM jsonb_populate_recordset(NULL::tokens, $1::jsonb) ON CONFLICT DO NOTHING RETURNING id`,
      jsonRows(rows.map((row) => row.data)),
    );
    const kept = new Set(stored.map((row) => row.id));
    for (const { token } of rows)
      if (kept.has(token.id)) onWritten(token);
      else book.skip("tokens", "token_repeated", `token ${token.id}`);
    await stageTokenUse(
      tx,
      rows
        .filter(({ token }) => kept.has(token.id) && token.used > 0n)
        .map(({ token }) => ({ tokenId: token.id, userId: token.userId, used: token.used })),
    );
    book.imported("tokens", stored.length);
  });
}

async function columnsOf({ secrets, groups, now }: WriteContext, token: TokenRecord) {
  return {
    id: token.id,
    user_id: token.userId,
    name: token.name,
    ...(token.hash === undefined ? sealKey(secrets, `sk-${token.key}`) : sealHash(secrets, token.hash)),
    status: token.status,
    created_time: token.createdTime ?? now,
    accessed_time: token.accessedTime ?? null,
    expired_time: token.expiredTime,
    unlimited_quota: token.unlimited,
    remain_quota: token.remain,
    group: await groups.symbolOf(token.group),
    backup_group: await groups.symbolOf(token.backupGroup),
    setting: token.setting,
    billing_tag: token.billingTag,
    budget: token.budget ?? null,
    deleted_at: token.deletedAt ?? null,
  };
}
