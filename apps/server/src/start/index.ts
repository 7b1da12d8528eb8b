import { setTimeout as sleep } from "node:timers/promises";
import { createRequestCounts } from "#domain/limits/request-counts.ts";
import { createLimiter } from "#domain/limits/take.ts";
import type { Env } from "#env.ts";
import { openPaymentGateways } from "#payments/index.ts";
import { createLogRing, openLog } from "#platform/log.ts";
import { isPublicAddress } from "#platform/public-fetch.ts";
import { createReadiness } from "#platform/readiness.ts";
import { caches } from "./caches.ts";
import type { Context, StartOptions } from "./context.ts";
import { httpServer } from "./http.ts";
import { jobDatabase, recurringJobs } from "./jobs.ts";
import { bodyLog, books, measures, nodeCount, redis } from "./node.ts";
import { createParts, type Parts } from "./parts.ts";
import { mail, providerList, siteSettings, upstreamClient } from "./providers.ts";
import { backgroundResponses, channelRuns, relayServices } from "./relay.ts";
import { changes, database, installation, migrations, postgres } from "./storage.ts";

/** The whole process, from its environment to a listening server, and back. */
export interface Gateway {
  /** Where it listens, e.g. http://localhost:3000 */
  url: string;
  /** Serves on for DRAIN_SECONDS, lets calls finish for STOP_SECONDS, and closes everything. */
  stop(): Promise<void>;
}

/** Rejects with a sentence that says what to correct; what was opened until then is closed again. */
export async function startGateway(env: Env, options: StartOptions = {}): Promise<Gateway> {
  const logRing = createLogRing();
  const log = openLog(env, logRing);
  const context: Context = {
    env,
    log,
    logRing,
    onError: (error) => log.error({ err: error }, "background work failed"),
    options: { mayReach: isPublicAddress, paymentGateways: openPaymentGateways(), ...options },
  };
  const parts = createParts((name, error) => log.error({ err: error }, `closing failed: ${name}`));
  try {
    const opened = await openAll(context, parts);
    const { url } = opened.http;
    log.info(`Listening on ${url}`);
    if (opened.setupToken !== undefined) announceSetup(env, url, opened.setupToken);
    return {
      url,
      async stop() {
        opened.readiness.drain();
        if (env.drainSeconds > 0)
          log.info(`Not ready any more; serving calls for another ${env.drainSeconds} s.`);
        await sleep(env.drainSeconds * 1_000);
        await opened.http.finish();
        await parts.close();
      },
    };
  } catch (error) {
    await parts.close();
    throw error;
  }
}

/** The parts in the order in which they are opened. They are closed in reverse. */
async function openAll(context: Context, parts: Parts) {
  const { dataDir, databaseUrl } = await parts.open(postgres, context);
  await parts.open(migrations, { ...context, databaseUrl });
  const stored = { ...context, dataDir, databaseUrl, database: await parts.open(database, { databaseUrl }) };
  const announcements = await parts.open(changes, stored);
  const { secrets, setupToken } = await parts.open(installation, stored);

  const measured = {
    ...stored,
    announcements,
    secrets,
    ...(await parts.open(measures, { ...stored, announcements })),
  };
  const bodies = await parts.open(bodyLog, measured);
  const { ledger, nodeId } = await parts.open(books, measured);
  const shared = await parts.open(redis, measured);
  const nodes = await parts.open(nodeCount, { ...stored, nodeId, redis: shared });
  const share = () => nodes.current();

  const { providers, demo } = await parts.open(providerList, context);
  const settings = await parts.open(siteSettings, { ...measured, demo });
  const known = { ...measured, bodies, ledger, redis: shared, share, providers, demo, settings };
  const mailer = await parts.open(mail, known);
  const upstream = await parts.open(upstreamClient, context);
  const kept = { ...known, mailer, upstream, caches: await parts.open(caches, known) };
  const relay = await parts.open(relayServices, kept);
  await parts.open(backgroundResponses, relay);
  const runs = await parts.open(channelRuns, { ...kept, health: relay.health });

  const readiness = createReadiness({
    ping: () => stored.database.pool.query("SELECT 1"),
    trouble: () => ledger.trouble(),
    stale: () => announcements.stale(),
  });
  const limits = {
    limiter: createLimiter({ redis: shared, share }),
    requestCounts: createRequestCounts({ redis: shared, share }),
  };
  const http = await parts.open(httpServer, { ...kept, ...runs, ...limits, relay, readiness });
  const forJobs = await parts.open(jobDatabase, { databaseUrl });
  await parts.open(recurringJobs, { ...kept, ...runs, jobDatabase: forJobs });
  return { http, readiness, setupToken };
}

/**
 * One plain line, whatever the format and level of the log, so that it can be read and copied. In production the
 * address people use is not known here, for example behind a published port.
 */
function announceSetup(env: Env, url: string, token: string): void {
  const path = `${env.basePath === "" ? "" : `/${env.basePath}`}/setup?token=${token}`;
  const line =
    env.NODE_ENV === "production"
      ? `No administrator exists yet. Open this path at the address of this server to create one: ${path}`
      : `No administrator exists yet. Open this link to create one: ${new URL(path, url).href}`;
  process.stdout.write(`${line}\n`);
}
