import { randomBytes, randomUUID } from "node:crypto";
import type { TokenRates } from "@gateway/shared/accounts/token";
import type { CallRecord } from "#domain/ledger/calls/call-record.ts";
import type { Database } from "#platform/database/db.ts";
import { credit } from "./balances/credit.ts";
import type { ReserveInput } from "./batches/operations.ts";

/** Account for the ledger tests. */
export interface Account {
  userId: number;
  tokenId: number;
}

export async function makeAccount(
  { db }: Database,
  options: { quota?: bigint; tokenQuota?: bigint; rates?: Partial<TokenRates> } = {},
): Promise<Account> {
  const name = randomUUID();
  const user = await db.user.create({ data: { username: name, aff_code: name.slice(0, 32) } });
  const token = await db.token.create({
    data: {
      user_id: user.id,
      name: "key",
      key_hash: randomBytes(32),
      key_encrypted: randomBytes(8),
      key_hint: "sk-…",
      unlimited_quota: options.tokenQuota === undefined,
      remain_quota: options.tokenQuota ?? 0n,
      setting: { rates: options.rates ?? {} },
    },
  });
  if ((options.quota ?? 0n) > 0n) {
    await credit(db, {
      userId: user.id,
      kind: "gift",
      amount: options.quota ?? 0n,
      reference: `gift-${name}`,
      reason: "test",
    });
  }
  return { userId: user.id, tokenId: token.id };
}

export function reservation(account: Account, amount: bigint, tokenAmount = 0n): ReserveInput {
  return { requestId: randomUUID(), ...account, amount, tokenAmount };
}

export function callOf(reserved: ReserveInput, quota: bigint, over: Partial<CallRecord> = {}): CallRecord {
  return {
    requestId: reserved.requestId,
    createdAt: new Date(),
    type: 2,
    userId: reserved.userId,
    username: "someone",
    tokenId: reserved.tokenId,
    tokenName: "key",
    channelId: 1,
    group: "default",
    backupGroup: false,
    modelName: "demo-chat",
    upstreamModel: "demo-chat",
    endpoint: "/v1/chat/completions",
    isStream: false,
    outcome: "complete",
    status: 200,
    errorCode: "",
    content: "",
    usage: { input: 10, output: 20, cacheRead: 5 },
    quota,
    estimated: false,
    requestTimeMs: 120,
    firstByteTimeMs: 40,
    sourceIp: "127.0.0.1",
    priceVersionId: 0,
    bill: null,
    billingTag: "",
    cacheHit: false,
    attempts: [],
    ...over,
  };
}
