/**
 * Throughput of the ledger alone with one, two and four shards: calls that reserve and settle, of one account
 * and of a thousand, on a real, durable, temporary Postgres. The variants run in turn, round by round; the
 * table shows medians. On a busy machine only the CPU time per call is meaningful.
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
import { connect } from "#platform/database/db.ts";
import { startEmbeddedPostgres } from "#platform/database/embedded-postgres.ts";
import { migrate, migrationsFolder } from "#platform/database/migrate.ts";
import { cpuOfFamily } from "./processes.ts";

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

interface Result {
  perSecond: number;
  p50: number;
  /** Microseconds per call of this process and of Postgres. */
  cpuUs: number;
  databaseUs: number;
}

const folder = await mkdtemp(join(tmpdir(), "gateway-bench-ledger-"));
// Postgres runs as another user when this process is root.
await chmod(folder, 0o755);
const postgres = await startEmbeddedPostgres({ dataDir: folder, log: () => undefined });
try {
  await migrate(postgres.url, migrationsFolder);
  const database = connect(postgres.url);
  await ensurePartitions(database.pool, 1);
  const all: Account[] = [];
  for (let made = 0; made < Number(values.accounts); made += 1)
    all.push(await makeAccount(database, { quota: 1_000_000_000n }));

  async function measure(shards: number, leases: boolean, accounts: Account[]): Promise<Result> {
    const ledger = createLedger({
      database,
      nodeId: randomUUID(),
      shards,
      onError: console.error,
      ...(!leases && { leaseIdleMs: 0 }),
    });
    await ledger.start();
    const took: number[] = [];
    const [cpu, databaseCpu] = [process.cpuUsage(), cpuOfFamily(postgres.pid()) ?? 0];
    const until = performance.now() + seconds * 1_000;
    const began = performance.now();
    await Promise.all(
      Array.from({ length: callsAtOnce }, async (_, at) => {
        for (let call = at; performance.now() < until; call += callsAtOnce) {
          const account = accounts[call % accounts.length];
          if (account === undefined) throw new Error("There is no account.");
          const started = performance.now();
          const reserved = reservation(account, 100n);
          await ledger.reserve(reserved);
          await ledger.settle(callOf(reserved, 60n));
          took.push(performance.now() - started);
        }
      }),
    );
    const perSecond = (took.length * 1_000) / (performance.now() - began);
    const { user, system } = process.cpuUsage(cpu);
    const cpuUs = (user + system) / took.length;
    const databaseUs = (((cpuOfFamily(postgres.pid()) ?? 0) - databaseCpu) * 1_000) / took.length;
    await ledger.close();
    return { perSecond, p50: median(took), cpuUs, databaseUs };
  }

  const kinds = [true, false].flatMap((leases) =>
    [1, 2, 4].flatMap((shards) =>
      [all.slice(0, 1), all].map((accounts) => ({ leases, shards, accounts, rounds: [] as Result[] })),
    ),
  );
  for (let round = 0; round <= rounds; round += 1)
    for (const kind of kinds) {
      const result = await measure(kind.shards, kind.leases, kind.accounts);
      // The first round warms up caches.
      if (round > 0) kind.rounds.push(result);
    }
  console.table(
    kinds.map(({ leases, shards, accounts, rounds: results }) => ({
      leases,
      shards,
      accounts: accounts.length,
      "calls/s": Math.round(median(results.map((result) => result.perSecond))),
      "p50 ms": Number(median(results.map((result) => result.p50)).toFixed(2)),
      "node µs": Math.round(median(results.map((result) => result.cpuUs))),
      "postgres µs": Math.round(median(results.map((result) => result.databaseUs))),
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
