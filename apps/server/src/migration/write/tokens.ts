import { stageTokenUse } from "#domain/ledger/opening-balances.ts";
import { sealHash, sealKey } from "#domain/tokens/keys.ts";
import type { TokenRecord } from "#migration/records.ts";
import type { Prisma } from "#platform/prisma/client.ts";
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
    const rows: { token: TokenRecord; data: Prisma.TokenCreateManyInput }[] = [];
    for (const token of batch) {
      if (!owners.has(token.userId)) {
        book.skip("tokens", "token_owner", "Keys of users that no longer exist", `token ${token.id}`);
        continue;
      }
      rows.push({ token, data: await columnsOf(context, token) });
    }
    const stored = await tx.token.createManyAndReturn({
      data: rows.map((row) => row.data),
      skipDuplicates: true,
      select: { id: true },
    });
    const kept = new Set(stored.map((row) => row.id));
    for (const { token } of rows)
      if (kept.has(token.id)) onWritten(token);
      else book.skip("tokens", "token_repeated", "Keys that another token has, too", `token ${token.id}`);
    await stageTokenUse(
      tx,
      rows
        .filter(({ token }) => kept.has(token.id) && token.used > 0n)
        .map(({ token }) => ({ tokenId: token.id, userId: token.userId, used: token.used })),
    );
    book.imported("tokens", stored.length);
  });
}

async function columnsOf(
  { secrets, groups, now }: WriteContext,
  token: TokenRecord,
): Promise<Prisma.TokenCreateManyInput> {
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
    ...(token.budget === undefined ? {} : { budget: token.budget }),
    deleted_at: token.deletedAt ?? null,
  };
}
