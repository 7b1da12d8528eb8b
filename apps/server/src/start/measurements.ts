/** Values of the node's parts that are read when the metrics are. */
import type { Redis } from "ioredis";
import type { Ledger } from "#domain/ledger/ledger.ts";
import type { Announcements } from "#platform/announcements.ts";
import type { Database } from "#platform/database/db.ts";
import type { UpstreamClient } from "#platform/http/http.ts";
import type { MemoryBudget } from "#platform/memory/memory-budget.ts";
import type { Metrics } from "#platform/metrics/metrics.ts";
import type { RelayServices } from "#relay/core/services.ts";
import { version } from "#version.ts";
import type { HttpServer } from "./http.ts";

type Watch = Pick<Metrics, "watch">;

/** Version of this gateway, so that a dashboard shows an upgrade. */
export function watchBuild(metrics: Watch): void {
  metrics.watch({
    name: "gateway_build_info",
    help: "1, with the version of the gateway.",
    aggregator: "first",
    read: async () => [[1, { version: version }]],
  });
}

export function watchMemory(metrics: Watch, memory: Pick<MemoryBudget, "used" | "capacity">): void {
  metrics.watch({
    name: "gateway_memory_budget_bytes",
    help: "Memory that requests and responses use, and its limit.",
    read: async () => [
      [memory.used, { kind: "used" }],
      [memory.capacity, { kind: "capacity" }],
    ],
  });
}

export function watchReloads(metrics: Watch, reloads: Pick<Announcements, "stale" | "failures">): void {
  metrics.watch({
    name: "gateway_reload_failures_total",
    help: "Failed attempts to load a change of settings, prices, groups, channels, tokens or users.",
    type: "counter",
    read: async () => [...reloads.failures()].map(([topic, count]) => [count, { topic }]),
  });
  metrics.watch({
    name: "gateway_reload_stale_seconds",
    help: "Age of the oldest change of a topic that is not loaded yet; absent if all changes are loaded.",
    aggregator: "max",
    read: async () => reloads.stale().map(({ topic, forMs }) => [forMs / 1_000, { topic }]),
  });
}

/** @param pool name of the pool in the labels */
export function watchPools(metrics: Watch, pools: Readonly<Record<string, Pick<Database, "pool">>>): void {
  const each = Object.entries(pools);
  metrics.watch({
    name: "gateway_postgres_connections",
    help: "Connections to Postgres by pool and state.",
    read: async () =>
      each.flatMap(([name, { pool }]) => [
        [pool.totalCount - pool.idleCount, { pool: name, state: "used" }] as const,
        [pool.idleCount, { pool: name, state: "idle" }] as const,
      ]),
  });
  metrics.watch({
    name: "gateway_postgres_connections_limit",
    help: "Maximum number of connections of a pool.",
    read: async () => each.map(([name, { pool }]) => [pool.options.max, { pool: name }]),
  });
  metrics.watch({
    name: "gateway_postgres_waiting",
    help: "Statements that wait for a connection of the pool.",
    read: async () => each.map(([name, { pool }]) => [pool.waitingCount, { pool: name }]),
  });
}

interface NodeParts {
  database: Database;
  ledger: Ledger;
  redis: Redis | undefined;
  upstream: UpstreamClient;
  relay: RelayServices;
  http: HttpServer;
}

export function watchNode(metrics: Watch, parts: NodeParts): void {
  watchCalls(metrics, parts);
  watchChannels(metrics, parts);
  watchLedger(metrics, parts.ledger);
  const { redis } = parts;
  if (redis === undefined) return;
  metrics.watch({
    name: "gateway_redis_up",
    help: "1 while Redis is connected, else 0; absent without Redis.",
    aggregator: "min",
    read: async () => [[redis.status === "ready" ? 1 : 0]],
  });
}

function watchCalls(metrics: Watch, { relay, upstream, http }: NodeParts): void {
  metrics.watch({
    name: "gateway_open_calls",
    help: "Calls with a reservation.",
    read: async () => [[relay.open.size]],
  });
  metrics.watch({
    name: "gateway_client_connections",
    help: "Open connections of clients.",
    read: async () => [[await http.connections()]],
  });
  metrics.watch({
    name: "gateway_upstream_connections",
    help: "Direct connections to providers by state.",
    async read() {
      const { open, free } = upstream.load();
      return [
        [open, { state: "open" }],
        [free, { state: "free" }],
      ];
    },
  });
  metrics.watch({
    name: "gateway_upstream_requests",
    help: "Requests to providers on direct connections; queued ones wait for a connection.",
    async read() {
      const { running, queued } = upstream.load();
      return [
        [running, { state: "running" }],
        [queued, { state: "queued" }],
      ];
    },
  });
}

const statusNames: Readonly<Record<number, string>> = { 1: "enabled", 2: "disabled", 3: "auto_disabled" };

function watchChannels(metrics: Watch, { database, relay }: NodeParts): void {
  metrics.watch({
    name: "gateway_channels",
    help: "Channels by status.",
    aggregator: "max",
    async read() {
      const { rows } = await database.pool.query<{ status: number; count: bigint }>(
        "SELECT status, count(*) AS count FROM channels GROUP BY status",
      );
      const counts = new Map(rows.map(({ status, count }) => [status, Number(count)]));
      return Object.entries(statusNames).map(([status, name]) => [
        counts.get(Number(status)) ?? 0,
        { status: name },
      ]);
    },
  });
  metrics.watch({
    name: "gateway_channel_pauses",
    help: "Current pauses of channels, of their models or keys, by reason; absent for channels without one.",
    async read() {
      const counts = new Map<string, { channel_id: string; reason: string; count: number }>();
      for (const { channelId, reason } of relay.health.paused()) {
        const key = `${channelId} ${reason}`;
        const known = counts.get(key);
        if (known !== undefined) known.count += 1;
        else counts.set(key, { channel_id: String(channelId), reason, count: 1 });
      }
      return [...counts.values()].map(({ count, ...labels }) => [count, labels]);
    },
  });
}

function watchLedger(metrics: Watch, ledger: Pick<Ledger, "load" | "trouble">): void {
  metrics.watch({
    name: "gateway_ledger_queue",
    help: "Operations of the ledger that wait for a batch or are in one.",
    read: async () => [[ledger.load().queued]],
  });
  metrics.watch({
    name: "gateway_ledger_oldest_seconds",
    help: "Age of the oldest operation that waits for a batch or is in one.",
    aggregator: "max",
    read: async () => [[(ledger.trouble()?.batchMs ?? 0) / 1_000]],
  });
  metrics.watch({
    name: "gateway_ledger_failing_seconds",
    help: "Time since batches of the ledger began to fail; 0 while they succeed.",
    aggregator: "max",
    read: async () => [[(ledger.trouble()?.failingMs ?? 0) / 1_000]],
  });
  metrics.watch({
    name: "gateway_ledger_pending_settlements",
    help: "Ended calls whose charge waits for a database that is away.",
    read: async () => [[ledger.load().pending]],
  });
  metrics.watch({
    name: "gateway_ledger_leases",
    help: "Leases of this node.",
    read: async () => [[ledger.load().leases]],
  });
  metrics.watch({
    name: "gateway_ledger_leased_points",
    help: "Points in the leases of this node: available, or reserved for open calls.",
    async read() {
      const { points, reserved } = ledger.load();
      return [
        [Number(points - reserved), { kind: "available" }],
        [Number(reserved), { kind: "reserved" }],
      ];
    },
  });
}
