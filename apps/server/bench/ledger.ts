/**
 * Throughput of the ledger alone with one, two and four shards: calls that reserve and settle, of one account
 * and of a thousand, on a real, durable, temporary Postgres. With `--nodes 3`, one ledger and three of them
 * charge one account instead; all run in this process, so that they share one core. The variants run in turn,
 * round by round; the table shows medians. On a busy machine only the CPU time per call is meaningful.
 */
import { randomUUID } from "node:crypto";
import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Account, callOf, makeAccount, reservation } from "#domain/ledger/accounts.fixture.ts";
import { audit } from "#domain/ledger/balances/audit.ts";
import { createLedger } from "#domain/ledger/ledger.ts";
import { ensurePartitions } from "#domain/logs/partitions.ts";
import { connect } from "#platform/database/db.ts";
import { startEmbeddedPostgres } from "#platform/database/embedded-postgres.ts";
import { migrate, migrationsFolder } from "#platform/database/migrate.ts";
import { readCommandLine } from "./command-line.ts";
import { type LockWaits, watchLockWaits } from "./lock-waits.ts";
import { cpuOfFamily } from "./processes.ts";

const {
  calls: callsAtOnce,
  seconds,
  rounds,
  ...options
} = readCommandLine("pnpm bench:ledger", {
  calls: { whole: 64, help: "calls at the same time" },
  seconds: { whole: 3, help: "seconds of a round" },
  rounds: { whole: 3, help: "rounds per row" },
  accounts: { whole: 1_000, help: "accounts that the calls are spread over" },
  nodes: { whole: 1, help: "ledgers on one database" },
});

interface Result {
  perSecond: number;
  p50: number;
  /** Microseconds per call of this process and of Postgres. */
  cpuUs: number;
  databaseUs: number;
  batches: number;
  lockWaits: LockWaits;
}

interface Kind {
  leases: boolean;
  shards: number;
  accounts: Account[];
  nodes: number;
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
  for (let made = 0; made < options.accounts; made += 1)
    all.push(await makeAccount(database, { quota: 1_000_000_000n }));

  async function measure({ shards, leases, accounts, nodes }: Kind): Promise<Result> {
    let batches = 0;
    const ledgers = Array.from({ length: nodes }, () =>
      createLedger({
        database,
        nodeId: randomUUID(),
        shards,
        onError: console.error,
        onBatch: () => {
          batches += 1;
        },
        ...(!leases && { leaseIdleMs: 0 }),
      }),
    );
    await Promise.all(ledgers.map((ledger) => ledger.start()));
    const took: number[] = [];
    const waits = await watchLockWaits(postgres.url);
    const [cpu, databaseCpu] = [process.cpuUsage(), cpuOfFamily(postgres.pid()) ?? 0];
    const until = performance.now() + seconds * 1_000;
    const began = performance.now();
    await Promise.all(
      Array.from({ length: callsAtOnce }, async (_, at) => {
        const ledger = ledgers[at % nodes];
        for (let call = at; performance.now() < until; call += callsAtOnce) {
          const account = accounts[call % accounts.length];
          if (account === undefined || ledger === undefined) throw new Error("There is no account.");
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
    const lockWaits = await waits();
    await Promise.all(ledgers.map((ledger) => ledger.close()));
    return { perSecond, p50: median(took), cpuUs, databaseUs, batches: batches / took.length, lockWaits };
  }

  const oneAccount = all.slice(0, 1);
  const kindsOf = (): Kind[] => {
    const nodes = options.nodes;
    if (nodes > 1)
      return [1, nodes].map((count) => ({ leases: true, shards: 2, accounts: oneAccount, nodes: count }));
    return [true, false].flatMap((leases) =>
      [1, 2, 4].flatMap((shards) =>
        [oneAccount, all].map((accounts) => ({ leases, shards, accounts, nodes: 1 })),
      ),
    );
  };
  const kinds = kindsOf().map((kind) => ({ ...kind, rounds: [] as Result[] }));
  for (let round = 0; round <= rounds; round += 1)
    for (const kind of kinds) {
      const result = await measure(kind);
      // The first round warms up caches.
      if (round > 0) kind.rounds.push(result);
    }
  console.table(
    kinds.map(({ leases, shards, accounts, nodes, rounds: results }) => ({
      nodes,
      leases,
      shards,
      accounts: accounts.length,
      "calls/s": Math.round(median(results.map((result) => result.perSecond))),
      "p50 ms": Number(median(results.map((result) => result.p50)).toFixed(2)),
      "node µs": Math.round(median(results.map((result) => result.cpuUs))),
      "postgres µs": Math.round(median(results.map((result) => result.databaseUs))),
      "calls per batch": Number((1 / median(results.map((result) => result.batches))).toFixed(1)),
      "lock waits %": Number(median(results.map((result) => result.lockWaits.share)).toFixed(1)),
    })),
  );
  for (const { nodes, rounds: results } of kinds) {
    const seen = results.flatMap(({ lockWaits }) => Object.entries(lockWaits.of));
    for (const [what, count] of seen) console.log(`${nodes} nodes: ${count} waits for ${what}`);
  }
  console.log(`drift ${(await audit(database.pool)).drift}`);
  await database.close();
} finally {
  await postgres.stop();
  await rm(folder, { recursive: true, force: true });
}

function median(numbers: number[]): number {
  return numbers.sort((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? Number.NaN;
}
