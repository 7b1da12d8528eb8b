import { setTimeout as sleep } from "node:timers/promises";
import { type Books, compare } from "./books.ts";
import { runClient } from "./clients.ts";
import { createWorld, type World } from "./world.ts";

/**
 * Gateways under load on one Postgres and one Redis, and every second one of them is struck. What the clients saw
 * complete must be charged once, nothing else may be, and every balance must add up.
 */
export interface ChaosOptions {
  rounds: number;
  nodes?: number;
  clients?: number;
  /** Milliseconds of quiet load between two strikes. */
  pauseMs?: number;
  say?: (sentence: string) => void;
}

export interface ChaosReport extends Books {
  /** How often each kind of strike was made. */
  strikes: Record<string, number>;
}

const kinds = ["kill -9", "postgres restart", "kill -9", "redis away", "postgres crash", "kill -9 of two"];

export async function runChaos(options: ChaosOptions): Promise<ChaosReport> {
  const { rounds, nodes = 3, clients = 12, pauseMs = 500, say = () => undefined } = options;
  const world = await createWorld(nodes, clients);
  const stop = new AbortController();
  try {
    say(`${nodes} gateways, ${clients} clients, ${rounds} rounds`);
    const load = Array.from({ length: clients }, (_, client) => runClient(world, client, stop.signal));
    const strikes: Record<string, number> = {};
    for (let round = 0; round < rounds; round += 1) {
      await sleep(pauseMs * (0.5 + Math.random()));
      const kind = kinds[round % kinds.length] ?? "kill -9";
      strikes[kind] = (strikes[kind] ?? 0) + 1;
      const began = Date.now();
      await strike(world, kind, nodes);
      say(`${round + 1}: ${kind}, back after ${Date.now() - began} ms`);
    }
    await sleep(pauseMs);
    stop.abort();
    const seen = (await Promise.all(load)).flat();
    return { ...(await compare(world.database.pool, seen)), strikes };
  } finally {
    stop.abort();
    await world.close();
  }
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
    case "redis away":
      return world.pauseRedis(800);
    default:
      throw new Error(`There is no strike "${kind}".`);
  }
}
