import { insertOpeningTokens } from "#domain/ledger/balances/opening-balances.ts";
import { sealHash, sealKey } from "#domain/tokens/keys.ts";
import type { TokenRecord } from "#migration/records.ts";
import { jsonRows } from "./json-rows.ts";
import { inBatches, type WriteContext } from "./write-context.ts";

/**
 * Keys that go on working: found by their keyed hash, shown from their encrypted copy.
 * @param onWritten sees every key that is stored, for the proof
 */
export async function writeTokens(
  context: WriteContext,
  records: AsyncIterable<TokenRecord>,
  onWritten: (token: TokenRecord) => void,
): Promise<void> {
  const { run, book } = context;
  await inBatches(context, "tokens", records, async (batch) => {
    const byId = new Map(batch.map((token) => [token.id, token]));
    const rows = [];
    for (const token of byId.values()) rows.push(await columnsOf(context, token));
    let stored = 0;
    for (const outcome of await insertOpeningTokens(run, jsonRows(rows))) {
      const token = byId.get(outcome.id);
      if (outcome.stored && token !== undefined) {
        stored += 1;
        onWritten(token);
      } else book.skip("tokens", outcome.owned ? "token_repeated" : "token_owner", `token ${outcome.id}`);
    }
    book.imported("tokens", stored);
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
    used_quota: token.used > 0n ? token.used : 0n,
    group: await groups.symbolOf(token.group),
    backup_group: await groups.symbolOf(token.backupGroup),
    setting: token.setting,
    billing_tag: token.billingTag,
    budget: token.budget ?? null,
    deleted_at: token.deletedAt ?? null,
  };
}
