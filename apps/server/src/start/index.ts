import { resolve } from "node:path";
import { watchInvalidChanges } from "#domain/notices/invalid-changes.ts";
import type { Env } from "#env.ts";
import { openPaymentGateways } from "#payments/index.ts";
import { createActivity, REST_AFTER_MS } from "#platform/activity.ts";
import { currentTime } from "#platform/clock.ts";
import { requireAnswer } from "#platform/database/database-address.ts";
import { isPublicAddress } from "#platform/http/public-fetch.ts";
import { createFailureLog } from "#platform/log/failure-log.ts";
import { createLogRing, openLog } from "#platform/log/log.ts";
import { createReadiness } from "#platform/readiness.ts";
import { announce } from "./announce.ts";
import { caches } from "./caches.ts";
import type { Context, Running, StartOptions } from "./context.ts";
import { importFiles } from "./database/migration.ts";
import { migrations, postgres } from "./database/postgres.ts";
import { httpServer } from "./http.ts";
import { failedJobs, jobDatabase, recurringJobs } from "./jobs.ts";
import { referencedKeys } from "./key-references.ts";
import { logExport } from "./log-export.ts";
import { mcpSessions } from "./mcp.ts";
import { watchNode, watchPools } from "./measurements.ts";
import { bodyLog, books, limits, measures, nodeCount, redis, storageWatch } from "./node.ts";
import { createParts, type Parts } from "./parts.ts";
import { listProblems } from "./problems.ts";
import { mail, providerList, siteSettings, upstreamClient } from "./providers.ts";
import { backgroundResponses, channelRuns, checkpoints, relayServices } from "./relay.ts";
import { reading } from "./replica.ts";
import { callReports } from "./reports.ts";
import { changes, database, installation } from "./storage.ts";
import type { WorkerLink } from "./workers/link.ts";

/** A listening gateway. */
export interface Gateway extends Running {
  /** URL of the gateway, e.g. http://localhost:3000 */
  url: string;
  port: number;
  /** Token of the link that creates the first administrator; undefined when one exists. */
  setupToken: string | undefined;
}

/**
 * Starts the whole process, from its environment to a listening server. On failure, rejects with a message
 * that says what to correct, and closes what was opened.
 * @param worker set in a worker process
 */
export async function startGateway(
  env: Env,
  options: StartOptions = {},
  worker?: WorkerLink,
): Promise<Gateway> {
  const logRing = createLogRing();
  const log = openLog(env, logRing);
  const failures = createFailureLog(log);
  const context: Context = {
    startedAt: currentTime(),
    env,
    log,
    logRing,
    onError: failures.report,
    failures,
    // A worker does not know what the others do.
    activity: createActivity(worker === undefined ? options.restAfterMs : Number.POSITIVE_INFINITY),
    options: {
      mayReach: isPublicAddress,
      paymentGateways: openPaymentGateways(),
      keepStartMemory: false,
      nodeTimes: {},
      restAfterMs: REST_AFTER_MS,
      ...options,
    },
    worker,
  };
  const parts = createParts((name, error) => log.error({ err: error }, `closing failed: ${name}`));
  try {
    const { http, readiness, setupToken } = await openAll(context, parts);
    const { url, port } = http;
    if (worker === undefined) announce(env, log, { url, setupToken });
    return {
      url,
      port,
      setupToken,
      async stop() {
        readiness.drain();
        if (env.drainSeconds > 0)
          log.info(`Not ready any more; serving calls for another ${env.drainSeconds} s.`);
        await http.drain(env.drainSeconds);
        await http.finish();
        await parts.close();
        context.activity.close();
        failures.close();
      },
    };
  } catch (error) {
    await parts.close();
    throw error;
  }
}

/** Opens the parts in this order. They are closed in reverse. */
async function openAll(context: Context, parts: Parts) {
  const { dataDir, databaseUrl } = await openPostgres(context, parts);
  context.failures.watchDatabase(() => requireAnswer(databaseUrl));
  const stored = {
    ...context,
    dataDir,
    databaseUrl,
    database: await parts.open(database, { ...context, databaseUrl }),
  };
  const announcements = await parts.open(changes, stored);
  const { secrets, setupToken } = await parts.open(installation, stored);

  const measured = {
    ...stored,
    announcements,
    secrets,
    ...(await parts.open(measures, { ...stored, announcements })),
  };
  const { reads, replica } = await parts.open(reading, measured);
  const bodies = await parts.open(bodyLog, measured);
  const { providers, demo } = await parts.open(providerList, context);
  const settings = await parts.open(siteSettings, { ...measured, demo });
  const { ledger, nodeId } = await parts.open(books, { ...measured, settings });
  const shared = await parts.open(redis, measured);
  const nodes = await parts.open(nodeCount, { ...stored, nodeId, redis: shared });
  const share = () => nodes.current();
  const known = { ...measured, bodies, ledger, redis: shared, share, providers, demo, settings };
  const mailer = await parts.open(mail, known);
  const upstream = await parts.open(upstreamClient, context);
  const keyReferences = await parts.open(referencedKeys, known);
  const read = { ...known, keyReferences };
  const kept = { ...read, mailer, upstream, caches: await parts.open(caches, read) };
  const reports = await parts.open(callReports, kept);
  const { reporter, tracing } = reports;
  const relay = await parts.open(relayServices, { ...kept, reporter, tracing });
  await parts.open(checkpoints, { ...kept, relay });
  await parts.open(backgroundResponses, { ...kept, relay });
  const runs = await parts.open(channelRuns, { ...kept, health: relay.health });

  await parts.open(importFiles, stored);
  const storage = await parts.open(storageWatch, stored);
  const exported = await parts.open(logExport, known);
  const invalidChanges = watchInvalidChanges(stored.database.db, context.onError);
  const watched = {
    storage,
    logExport: exported,
    failedJobs: await parts.open(failedJobs, measured),
    keyReferences,
    invalidChanges,
    reports,
    replica,
  };
  const readiness = createReadiness({
    ping: () => stored.database.pool.query("SELECT 1"),
    trouble: () => ledger.trouble(),
    stale: () => announcements.stale(),
    problems: () => listProblems(watched),
  });
  const counted = await parts.open(limits, known);
  const pools = { main: stored.database, ...(replica && { replica }) };
  // One worker per machine is enough.
  if (context.worker === undefined || context.worker.task.number === 0) {
    const forJobs = await parts.open(jobDatabase, { databaseUrl, announcements });
    await parts.open(recurringJobs, { ...kept, ...runs, logExport: exported, jobDatabase: forJobs });
    Object.assign(pools, { jobs: forJobs });
  }
  // Last, so that calls find everything open, and memory from the start is released before the first call.
  const http = await parts.open(httpServer, {
    ...kept,
    ...runs,
    ...counted,
    relay,
    readiness,
    storage,
    logExport: exported,
    invalidChanges,
    reads,
    mcpSessions: await parts.open(mcpSessions, kept),
  });
  watchPools(kept.metrics, pools);
  watchNode(kept.metrics, { ...kept, relay, http });
  return { http, readiness, setupToken };
}

/** Opens Postgres. A worker uses the database that the primary process has prepared. */
async function openPostgres(context: Context, parts: Parts) {
  if (context.worker !== undefined)
    return { dataDir: resolve(context.env.DATA_DIR), databaseUrl: context.worker.task.databaseUrl };
  const opened = await parts.open(postgres, context);
  await parts.open(migrations, { ...context, databaseUrl: opened.databaseUrl });
  return opened;
}
