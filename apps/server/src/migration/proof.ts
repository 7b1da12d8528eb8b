/** Looks at what was written, from the source again: balances, books, keys and prices. */
import { auditWithin } from "#domain/ledger/balances/audit.ts";
import { loadTable } from "#domain/pricing/prices.ts";
import { computePoints, findPrice, type PriceTable } from "#domain/pricing/pricing.ts";
import { createCallers } from "#domain/tokens/callers.ts";
import type { Db } from "#platform/database/db.ts";
import type { Secrets } from "#platform/secrets.ts";
import type { Product, ReadContext, SourceBalance } from "./products/product.ts";
import type { ChargeSample, TokenRecord } from "./records.ts";
import type { ComparedBalance, ImportReport, Pair, ImportProof } from "./report.ts";
import { deletion, int, points } from "./row.ts";
import type { Source } from "./sources/source.ts";

const sampledKeys = 200;
const mostNamed = 50;
const mostDiffering = 200;
const mostLargest = 20;

/** Keeps a sample of a stream of unknown length: every key has the same chance. */
export function createKeySample() {
  const kept: TokenRecord[] = [];
  let seen = 0;
  return {
    kept,
    add(token: TokenRecord) {
      seen += 1;
      if (kept.length < sampledKeys) kept.push(token);
      else {
        const place = Math.floor(Math.random() * seen);
        if (place < sampledKeys) kept[place] = token;
      }
    },
  };
}

interface Balances {
  totals: ImportReport["totals"];
  compared: number;
  different: number;
  /** Those that differ, then the largest ones. */
  named: ComparedBalance[];
}

/** The same per user, and in total; the source is read again. */
export async function compareBalances(tx: Db, product: Product, read: ReadContext): Promise<Balances> {
  const sums = { quota: 0n, used: 0n, live: 0n, tokens: 0n };
  let different = 0;
  const differing: ComparedBalance[] = [];
  let largest: ComparedBalance[] = [];
  let compared = 0;
  let batch = new Map<number, bigint>();
  const flush = async () => {
    const rows = await tx.user.findMany({
      where: { id: { in: [...batch.keys()] } },
      select: { id: true, username: true, quota: true },
    });
    const here = new Map(rows.map((row) => [row.id, row]));
    for (const [id, quota] of batch) {
      const account = here.get(id);
      const found = {
        id,
        name: account?.username ?? "",
        source: String(quota),
        here: String(account?.quota ?? 0n),
      };
      if (account?.quota !== quota) {
        different += 1;
        if (differing.length < mostDiffering) differing.push(found);
      } else largest.push(found);
    }
    largest = largest.sort((a, b) => Number(BigInt(b.here) - BigInt(a.here))).slice(0, mostLargest);
    compared += batch.size;
    batch = new Map();
  };
  for await (const { id, balance, used, isDeleted } of product.balances?.(read) ?? balancesOf(read.source)) {
    sums.quota += balance;
    sums.used += used;
    if (!isDeleted) sums.live += balance;
    batch.set(id, balance);
    if (batch.size === 1_000) await flush();
  }
  await flush();
  for await (const used of product.keyUse?.(read) ?? keyUseOf(read.source)) sums.tokens += used;
  const [here] = await tx.$queryRawUnsafe<Record<"quota" | "used" | "live" | "tokens", string>[]>(
    `SELECT COALESCE(sum(quota), 0)::text AS quota, COALESCE(sum(used_quota), 0)::text AS used,
       COALESCE(sum(quota) FILTER (WHERE deleted_at IS NULL), 0)::text AS live,
       (SELECT COALESCE(sum(used_quota), 0)::text FROM tokens) AS tokens FROM users`,
  );
  const pair = (name: keyof typeof sums): Pair => ({ source: String(sums[name]), here: here?.[name] ?? "0" });
  return {
    compared,
    different,
    named: [...differing, ...largest],
    totals: {
      users_quota: pair("quota"),
      users_used_quota: pair("used"),
      tokens_used_quota: pair("tokens"),
      live_users_quota: pair("live"),
    },
  };
}

async function* balancesOf(source: Source): AsyncGenerator<SourceBalance> {
  for await (const row of source.rows({ table: "users", orderBy: "id" }))
    yield {
      id: int(row, "id"),
      balance: points(row, "quota"),
      used: points(row, "used_quota"),
      isDeleted: deletion(row) !== undefined || int(row, "status") === 3,
    };
}

async function* keyUseOf(source: Source): AsyncGenerator<bigint> {
  for await (const row of source.rows({ table: "tokens" })) yield points(row, "used_quota");
}

export async function auditDrift(tx: Db): Promise<string> {
  return String((await auditWithin(tx)).drift);
}

/** Presents old keys as clients do. Returns those that are not recognized as before. */
export async function tryKeys(tx: Db, secrets: Secrets, keys: readonly TokenRecord[], now: Date) {
  const callers = createCallers(tx, secrets);
  const failed: string[] = [];
  for (const token of keys) {
    const owner = await tx.user.findUnique({ where: { id: token.userId }, select: { deleted_at: true } });
    const isGone = token.deletedAt !== undefined || owner?.deleted_at !== null;
    const found =
      token.hash === undefined
        ? callers.find(`Bearer sk-${token.key}`).then(({ caller }) => caller)
        : callers.findByHash(token.hash);
    const caller = await found.catch(() => undefined);
    const opens =
      caller?.tokenId === token.id &&
      caller.tokenEnabled &&
      (caller.expiresAt === undefined || caller.expiresAt > now.getTime());
    const limitLeft = token.unlimited || token.remain > 0n;
    if ((opens && limitLeft) !== (token.worked && !isGone)) failed.push(`token ${token.id}`);
  }
  return failed.slice(0, mostNamed);
}

/** Computes old charges again with the prices that were imported. */
export async function recomputeCharges(tx: Db, charges: AsyncIterable<ChargeSample>) {
  const table: PriceTable = await loadTable(tx);
  const outcome: Pick<ImportProof, "charges_compared" | "charges_different" | "charges_not_comparable"> = {
    charges_compared: 0,
    charges_different: [],
    charges_not_comparable: 0,
  };
  for await (const sample of charges) {
    const price = findPrice(table, sample.model);
    if (price === undefined || !sample.same(price)) {
      outcome.charges_not_comparable += 1;
      continue;
    }
    const points = computePoints(price, sample.groupRatio, sample.usage, 1);
    const distance = points > sample.charged ? points - sample.charged : sample.charged - points;
    if (distance > sample.tolerance && distance <= (sample.doubt ?? 0n)) {
      outcome.charges_not_comparable += 1;
      continue;
    }
    outcome.charges_compared += 1;
    if (distance > sample.tolerance && outcome.charges_different.length < mostNamed)
      outcome.charges_different.push(`${sample.label} (${sample.model}): ${sample.charged} → ${points}`);
  }
  return outcome;
}
