import { randomUUID } from "node:crypto";
import type { Redis } from "ioredis";
import type { LeaseSelector } from "#domain/ledger/batches/operations.ts";
import { createLedger, type Ledger } from "#domain/ledger/ledger.ts";
import type { Share } from "#domain/limits/levels.ts";
import { type NodeCount, watchNodes } from "#domain/limits/node-count.ts";
import { createRequestCounts, type RequestCounts } from "#domain/limits/request-counts.ts";
import { createLimiter, type Limiter } from "#domain/limits/take.ts";
import { type BodyLog, createBodyLog } from "#domain/logs/bodies.ts";
import { type StorageWatch, watchStorage } from "#domain/notices/storage.ts";
import type { SettingsStore } from "#domain/settings/settings.ts";
import { type Announcements, announce } from "#platform/announcements.ts";
import type { Database } from "#platform/database/db.ts";
import {
  createMemoryBudget,
  defaultMemoryBudget,
  type MemoryBudget,
} from "#platform/memory/memory-budget.ts";
import { createMetrics, type Metrics } from "#platform/metrics/metrics.ts";
import type { Secrets } from "#platform/secrets.ts";
import type { Context } from "./context.ts";
import { watchBuild, watchMemory, watchReloads } from "./measurements.ts";
import type { Component } from "./parts.ts";
import { sumMetrics } from "./workers/across-workers.ts";
import { limiterOfWorker, requestCountsOfWorker } from "./workers/shared-limits.ts";

interface Measures {
  memory: MemoryBudget;
  metrics: Metrics;
}

/** The memory budget of calls, and the metrics for Prometheus. */
export const measures: Component<Context & { announcements: Announcements }, Measures> = {
  name: "metrics",
  open({ env, announcements, worker }) {
    const whole =
      env.MEMORY_BUDGET_MB === undefined ? defaultMemoryBudget() : env.MEMORY_BUDGET_MB * 1024 * 1024;
    const memory = createMemoryBudget(worker === undefined ? whole : Math.floor(whole / env.workers));
    const own = createMetrics();
    watchBuild(own);
    watchMemory(own, memory);
    watchReloads(own, announcements);
    return { memory, metrics: worker === undefined ? own : sumMetrics(worker, own) };
  },
};

type NodeContext = Context & Measures & { database: Database };

export const bodyLog: Component<NodeContext & { secrets: Secrets }, BodyLog> = {
  name: "bodies of calls",
  open: ({ database: { pool }, secrets, onError, metrics }) =>
    createBodyLog({ pool, secrets, onError, onDropped: () => metrics.bodiesDropped() }),
  close: (opened) => opened.close(),
};

export const books: Component<
  NodeContext & { announcements: Announcements; settings: SettingsStore },
  { ledger: Ledger; nodeId: string }
> = {
  name: "ledger",
  async open({ database, announcements, settings, activity, onError, metrics, worker, options }) {
    const { beatMs, silentAfterMs } = options.nodeTimes;
    const nodeId = worker?.task.nodeId ?? randomUUID();
    const ledger = createLedger({
      activity,
      database,
      nodeId,
      onError,
      pointsPerUsd: () => settings.current().QuotaPerUnit,
      onBatch: metrics.batch,
      onCheckpoints: metrics.checkpoints,
      askForLeases: (userId) => announce(database.db, "leases", userId),
      ...(beatMs !== undefined && { beatMs }),
      ...(silentAfterMs !== undefined && { silentAfterMs }),
    });
    // Another node needs the points, or rights and limits have changed. Announcements do not wait for the
    // ledger.
    const recall = (of: LeaseSelector) => void ledger.recall(of).catch(onError);
    announcements.on("leases", (id) => recall(id === 0 ? "all" : { userId: id }));
    announcements.on("users", (id) => recall(id === 0 ? "all" : { userId: id }));
    announcements.on("tokens", (id) => recall(id === 0 ? "all" : { tokenId: id }));
    await ledger.start();
    return { ledger, nodeId };
  },
  close: ({ ledger }) => ledger.close(),
};

/** Watches the disk of this node's DATA_DIR. */
export const storageWatch: Component<Context & { database: Database; dataDir: string }, StorageWatch> = {
  name: "disk watch",
  open: ({ database: { db }, dataDir, onError }) => watchStorage(db, { folder: dataDir, onError }),
  close: (opened) => opened.close(),
};

export const redis: Component<Context & { secrets: Secrets }, Redis | undefined> = {
  name: "redis",
  async open({ env: { REDIS_URL: url, redisSentinels: sentinels }, secrets, failures }) {
    if (url === undefined) return undefined;
    const { connectRedis } = await import("#platform/redis.ts");
    const { away: onError, back: onReady } = failures.redis;
    return connectRedis({ url, sentinels, secrets, onError, onReady });
  },
  close: (opened) => opened?.disconnect(),
};

/**
 * Opened after the ledger has written this node's first heartbeat; otherwise the node would not count itself.
 */
export const nodeCount: Component<
  Context & { database: Database; nodeId: string; redis: Redis | undefined },
  NodeCount
> = {
  name: "node count",
  open: ({ database: { pool }, nodeId, redis: shared, activity, onError, log, worker, options }) =>
    watchNodes(pool, nodeId, activity, onError, {
      ...(options.nodeTimes.countMs !== undefined && { everyMs: options.nodeTimes.countMs }),
      ...(worker !== undefined && {
        siblings: () => worker.siblings(),
        onCount: (together: Share) => worker.share(together),
      }),
      ...(shared === undefined && {
        onSeveral: (count: number) =>
          log.warn(
            `${count} nodes use this database, and REDIS_URL is not set: each node allows only its share of every rate limit. Set REDIS_URL on all nodes, so that they count together.`,
          ),
      }),
    }),
  close: (opened) => opened.close(),
};

interface Limits {
  limiter: Limiter;
  requestCounts: RequestCounts;
}

/**
 * Rate limits. Counted in Redis; without Redis in this process, or in the primary process for several
 * workers.
 */
export const limits: Component<Context & { redis: Redis | undefined; share: () => Share }, Limits> = {
  name: "limits",
  open: ({ redis: shared, share, worker }) =>
    shared === undefined && worker !== undefined
      ? { limiter: limiterOfWorker(worker, share), requestCounts: requestCountsOfWorker(worker, share) }
      : {
          limiter: createLimiter({ redis: shared, share }),
          requestCounts: createRequestCounts({ redis: shared, share }),
        },
};
