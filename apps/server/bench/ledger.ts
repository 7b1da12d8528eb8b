/**
 * What the ledger alone can do with one, two and four shards: calls that reserve and settle, of one account and of a
 * thousand, on a real, durable, throw-away Postgres. All in turn, round by round; the table shows medians.
 */
import { randomUUID } from "node:crypto";
import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { type Account, callOf, makeAccount, reservation } from "#domain/ledger/accounts.fixture.ts";
import { audit } from "#domain/ledger/audit.ts";
import { createLedger } from "#domain/ledger/ledger.ts";
import { ensurePartitions } from "#domain/logs/partitions.ts";
import { connect } from "#platform/db.ts";
import { startEmbeddedPostgres } from "#platform/embedded-postgres.ts";
import { migrate, migrationsFolder } from "#platform/migrate.ts";

const { values } = parseArgs({
  options: {
    calls: { type: "string", default: "64" },
    seconds: { type: "string", default: "3" },
    rounds: { type: "string", default: "3" },
    accounts: { type: "string", default: "1000" },
  },
});
const [callsAtOnce, seconds, rounds] = [values.calls, values.seconds, values.rounds].map(Number) as [
  number,
  number,
  number,
];

const folder = await mkdtemp(join(tmpdir(), "gateway-bench-ledger-"));
// The database runs as a user of its own when we are root.
await chmod(folder, 0o755);
const postgres = await startEmbeddedPostgres({ dataDir: folder, log: () => undefined });
try {
  await migrate(postgres.url, migrationsFolder);
  const database = connect(postgres.url);
  await ensurePartitions(database.pool, 1);
  const all: Account[] = [];
  for (let made = 0; made < Number(values.accounts); made += 1)
    all.push(await makeAccount(database, { quota: 1_000_000_000n }));

  async function measure(shards: number, accounts: Account[]): Promise<{ perSecond: number; p50: number }> {
    const ledger = createLedger({ database, nodeId: randomUUID(), shards, onError: console.error });
    const took: number[] = [];
    const until = performance.now() + seconds * 1_000;
    const began = performance.now();
    await Promise.all(
      Array.from({ length: callsAtOnce }, async (_, at) => {
        for (let call = at; performance.now() < until; call += callsAtOnce) {
          const account = accounts[call % accounts.length];
          if (account === undefined) throw new Error("There is no account.");
          const started = performance.now();
          const held = reservation(account, 100n);
          await ledger.reserve(held);
          await ledger.settle(callOf(held, 60n));
          took.push(performance.now() - started);
        }
      }),
    );
    const perSecond = (took.length * 1_000) / (performance.now() - began);
    await ledger.close();
    return { perSecond, p50: median(took) };
  }

  const kinds = [1, 2, 4].flatMap((shards) => [
    {
      shards,
      name: "1 account",
      accounts: all.slice(0, 1),
      rounds: [] as { perSecond: number; p50: number }[],
    },
    {
      shards,
      name: `${all.length} accounts`,
      accounts: all,
      rounds: [] as { perSecond: number; p50: number }[],
    },
  ]);
  for (let round = 0; round <= rounds; round += 1)
    for (const kind of kinds) {
      const result = await measure(kind.shards, kind.accounts);
      // The first round fills caches.
      if (round > 0) kind.rounds.push(result);
    }
  console.table(
    kinds.map(({ shards, name, rounds: results }) => ({
      shards,
      load: name,
      "calls/s": Math.round(median(results.map((result) => result.perSecond))),
      "p50 ms": Number(median(results.map((result) => result.p50)).toFixed(1)),
    })),
  );
  console.log(`drift ${(await audit(database.pool)).drift}`);
  await database.close();
} finally {
  await postgres.stop();
  await rm(folder, { recursive: true, force: true });
}

function median(numbers: number[]): number {
  return numbers.sort((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? Number.NaN;
}
