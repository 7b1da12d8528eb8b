import { setTimeout as sleep } from "node:timers/promises";
import { type Books, compare } from "./books.ts";
import { runClient, runLongClient, runSilentClient, type Seen } from "./clients.ts";
import { spendOneDollar } from "./one-dollar.ts";
import { spendExactly } from "./small-balance.ts";
import { createWorld, type World } from "./world.ts";

/**
 * Runs gateways under load on one Postgres and one Redis, and strikes one of them every second. Calls that
 * clients saw complete must be charged once, and nothing else. Every balance must add up.
 */
export interface ChaosOptions {
  rounds: number;
  nodes?: number;
  clients?: number;
  /** Milliseconds between two strikes. */
  pauseMs?: number;
  /** Waits until the reservations of dead nodes are released, which takes about a minute. */
  untilReleased?: boolean;
  /** Ends the strikes after the current round. The ledger is still compared. */
  enough?: AbortSignal;
  say?: (sentence: string) => void;
  /** The program that nodes run; by default the sources. */
  main?: string;
}

export interface ChaosReport extends Books {
  /** Number of strikes of each kind. */
  strikes: Record<string, number>;
}

const kinds = [
  "kill -9",
  "postgres restart",
  "leases recalled",
  "exact balance",
  "one dollar",
  "failover",
  "account disabled",
  "redis away",
  "small credit",
  "postgres crash",
  "pause",
  "kill -9 of two",
  "database silent",
  "pause of 35 s",
];

/** Additional clients: some with long streams, and one whose connections stop reading. */
const longClients = 4;
const silentClients = 1;

/** Credit of the account with a small balance, in points: enough for some calls. */
const smallCredit = 5_000;

export async function runChaos(options: ChaosOptions): Promise<ChaosReport> {
  const { rounds, nodes = 3, clients = 12, pauseMs = 500, say = () => undefined } = options;
  const world = await createWorld(nodes, clients + longClients + silentClients, options.main);
  const stop = new AbortController();
  try {
    say(`${nodes} gateways, ${clients} clients, ${rounds} rounds`);
    await world.credit(smallCredit);
    const load = Array.from({ length: clients + longClients + silentClients }, (_, client) => {
      if (client < clients) return runClient(world, client, stop.signal);
      const run = client < clients + longClients ? runLongClient : runSilentClient;
      return run(world, client, stop.signal);
    });
    const strikes: Record<string, number> = {};
    const alsoSeen: Seen[] = [];
    const unexpected: string[] = [];
    for (let round = 0; round < rounds && options.enough?.aborted !== true; round += 1) {
      await sleep(pauseMs * (0.5 + Math.random()));
      const kind = kinds[round % kinds.length] ?? "kill -9";
      strikes[kind] = (strikes[kind] ?? 0) + 1;
      const began = Date.now();
      if (kind === "exact balance" || kind === "one dollar") {
        const victim = Math.floor(Math.random() * nodes);
        const { seen, wrong } = await (kind === "exact balance"
          ? spendExactly(world)
          : spendOneDollar(world, victim));
        alsoSeen.push(...seen);
        unexpected.push(...wrong);
        for (const sentence of wrong) say(sentence);
      } else
        await strike(world, kind, nodes).catch((error: unknown) =>
          unexpected.push(`${kind}: ${String(error)}`),
        );
      if (unexpected.length > 0) break;
      say(`${round + 1}: ${kind}, back after ${Date.now() - began} ms`);
    }
    await sleep(pauseMs);
    stop.abort();
    const seen = [...(await Promise.all(load)).flat(), ...alsoSeen];
    let reserved = 0n;
    if (options.untilReleased === true) {
      say("waiting until nothing is reserved any more");
      reserved = await openReservations(world);
    }
    const books = await compare(world.database.pool, seen);
    books.wrong.push(...unexpected);
    for (const { client, requestId, status, isCapped } of seen)
      if (status === 402 && isCapped !== true && world.isRich(client))
        books.wrong.push(`${requestId} of client ${client} was refused, and its balance covers it.`);
    if (reserved > 0n)
      books.wrong.push(`${reserved} reservations are still there after two minutes of quiet.`);
    return { ...books, strikes };
  } finally {
    stop.abort();
    await world.close();
  }
}

async function openReservations({ database }: World): Promise<bigint> {
  let reserved = 0n;
  for (const until = Date.now() + 120_000; Date.now() < until; await sleep(1_000)) {
    const { rows } = await database.pool.query<{ reserved: bigint }>(
      "SELECT count(*) AS reserved FROM reservations",
    );
    reserved = rows[0]?.reserved ?? 0n;
    if (reserved === 0n) break;
  }
  return reserved;
}

async function strike(world: World, kind: string, nodes: number): Promise<void> {
  const victim = Math.floor(Math.random() * nodes);
  switch (kind) {
    case "kill -9":
      return world.killNode(victim);
    case "kill -9 of two":
      await Promise.all([world.killNode(victim), world.killNode((victim + 1) % nodes)]);
      return;
    case "postgres restart":
      return world.restartPostgres("fast");
    case "postgres crash":
      return world.restartPostgres("immediate");
    case "leases recalled":
      return world.recallLeases(20);
    case "account disabled":
      return world.disableAccount(700);
    case "small credit":
      return world.credit(smallCredit);
    case "pause":
      return world.pauseNode(victim, 2_000);
    case "pause of 35 s":
      // Other nodes consider it dead, and charge its long calls.
      return world.pauseNode(victim, 35_000);
    case "failover":
      return world.failOver();
    case "database silent":
      return world.silenceDatabase(victim, 12_000);
    case "redis away":
      return world.pauseRedis(800);
    default:
      throw new Error(`There is no strike "${kind}".`);
  }
}
