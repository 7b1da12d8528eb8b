import { randomUUID } from "node:crypto";
import { mkdir } from "node:fs/promises";
import { resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { createGroups } from "#domain/accounts/groups-in-force.ts";
import { createPersonCheck } from "#domain/accounts/person-check.ts";
import { seedAccounts } from "#domain/accounts/seed.ts";
import { ensureRoot, issueSetupToken } from "#domain/accounts/setup.ts";
import { createAnswerCache } from "#domain/answers/answer-cache.ts";
import { createIcons } from "#domain/catalog/icons.ts";
import { seedModelInfo } from "#domain/catalog/model-info.ts";
import { createCandidates } from "#domain/channels/candidates.ts";
import { createHealth } from "#domain/channels/health.ts";
import { type JudgeRoom, runTasks } from "#domain/channels/judge.ts";
import { storedChannel } from "#domain/channels/load-channels.ts";
import { createChannelRunner } from "#domain/channels/runner.ts";
import { sealStoredSecrets } from "#domain/channels/seal-stored.ts";
import { createLedger } from "#domain/ledger/ledger.ts";
import { watchNodes } from "#domain/limits/node-count.ts";
import { createRequestCounts } from "#domain/limits/request-counts.ts";
import { createLimiter } from "#domain/limits/take.ts";
import { createBodyLog } from "#domain/logs/bodies.ts";
import { ensurePartitions } from "#domain/logs/partitions.ts";
import { createPrices } from "#domain/pricing/prices.ts";
import { seedPrices } from "#domain/pricing/seed-prices.ts";
import { createBackgroundBills } from "#domain/responses/background.ts";
import { mailAccount } from "#domain/settings/mail-account.ts";
import { createSettings } from "#domain/settings/settings.ts";
import { createCallers } from "#domain/tokens/callers.ts";
import { createRevocations } from "#domain/tokens/revocations.ts";
import { createFailedKeys } from "#gateway/failed-keys.ts";
import { startJobs } from "#jobs/index.ts";
import { openPaymentGateways, type PaymentGateways } from "#payments/index.ts";
import { coalesce, listen } from "#platform/announcements.ts";
import { waitForDatabase } from "#platform/database-address.ts";
import { connect } from "#platform/db.ts";
import { startEmbeddedPostgres } from "#platform/embedded-postgres.ts";
import { createUpstreamClient } from "#platform/http.ts";
import { keptSecret } from "#platform/kept-secret.ts";
import { createLogRing, openLog } from "#platform/log.ts";
import { createMailer } from "#platform/mail.ts";
import { createMemoryBudget, defaultMemoryBudget } from "#platform/memory-budget.ts";
import { createMetrics } from "#platform/metrics.ts";
import { migrate, migrationsFolder } from "#platform/migrate.ts";
import { refuseTransactionPooling } from "#platform/pooling.ts";
import { fetchPublic, isPublicAddress, postToPublic, publicFetch } from "#platform/public-fetch.ts";
import { createReadiness, type Readiness } from "#platform/readiness.ts";
import { connectRedis } from "#platform/redis.ts";
import { openSecrets } from "#platform/secrets.ts";
import { releaseStartMemory } from "#platform/start-memory.ts";
import { openProviders } from "#providers/registry.ts";
import { followBackground } from "#relay/background.ts";
import type { RelayServices } from "#relay/call.ts";
import { createDrains } from "#relay/drains.ts";
import { checkModel } from "#relay/model-check.ts";
import { fetchBalance, fetchModels, probeChannel, testChannel } from "#relay/probe.ts";
import { identityProviders } from "#sign-in/index.ts";
import packageJson from "../package.json" with { type: "json" };
import { buildApp } from "./app.ts";
import { openDemoProvider } from "./demo-provider.ts";
import type { Env } from "./env.ts";

/** How long a database that does not answer yet is waited for at the start. */
const DATABASE_PATIENCE_MS = 60_000;

/** The whole process, from its environment to a listening server, and back. */
export interface Gateway {
  /** Where it listens, e.g. http://localhost:3000 */
  url: string;
  stop(): Promise<void>;
}

/**
 * @param mayReach for tests, whose pictures and files are on this machine: which addresses callers may name
 * @param paymentGateways for tests, whose payment gateways are there too
 */
export async function startGateway(
  env: Env,
  {
    mayReach = isPublicAddress,
    paymentGateways = openPaymentGateways(),
  }: { mayReach?: (address: string) => boolean; paymentGateways?: PaymentGateways } = {},
): Promise<Gateway> {
  const logRing = createLogRing();
  const log = openLog(env, logRing);
  const onError = (error: unknown) => log.error({ err: error }, "background work failed");
  // What was opened, so that it can be closed in reverse, also when the start fails half way.
  const closers: (() => Promise<unknown>)[] = [];
  let stopPostgres: (() => Promise<void>) | undefined;
  let readiness: Readiness | undefined;
  let letCallsFinish: (() => Promise<void>) | undefined;
  /** Each step has a limit, and a step that fails does not keep the others from their turn. */
  const stop = async () => {
    const until = performance.now() + CLOSE_ALL_MS;
    for (const close of closers.splice(0).reverse()) {
      const limit = Math.max(1_000, Math.min(CLOSE_MS, until - performance.now()));
      await within(limit, close()).catch((error: unknown) => log.error({ err: error }, "closing failed"));
    }
    await stopPostgres?.();
  };
  const drainAndStop = async () => {
    readiness?.drain();
    if (env.drainSeconds > 0)
      log.info(`Not ready any more; serving calls for another ${env.drainSeconds} s.`);
    await sleep(env.drainSeconds * 1_000);
    await letCallsFinish?.();
    await stop();
  };

  try {
    const dataDir = resolve(env.DATA_DIR);
    await mkdir(dataDir, { recursive: true });
    let databaseUrl = env.DATABASE_URL;
    if (databaseUrl === undefined) {
      const postgres = await startEmbeddedPostgres({ dataDir, log: (sentence) => log.info(sentence) });
      stopPostgres = () => postgres.stop();
      databaseUrl = postgres.url;
    }
    await waitForDatabase(databaseUrl, {
      patienceMs: DATABASE_PATIENCE_MS,
      onWait: (reason) => log.warn(reason),
    });
    if (env.DATABASE_URL !== undefined) await refuseTransactionPooling(databaseUrl);
    const { applied } = await migrate(databaseUrl, migrationsFolder);
    if (applied.length > 0) log.info({ applied }, "migrations applied");

    const database = connect(databaseUrl);
    closers.push(() => database.close());
    const { db, pool } = database;
    // Before anything is loaded: a change between the two would be lost.
    const announcements = await listen(databaseUrl, onError);
    closers.push(() => announcements.close());
    const secrets = openSecrets(env.SECRET_KEY ?? (await keptSecret(dataDir)));
    await ensurePartitions(pool, 7);
    await seedAccounts(db);
    await seedPrices(db);
    await seedModelInfo(db);
    await sealStoredSecrets(db, secrets);
    if (env.ROOT_USERNAME !== undefined && env.ROOT_PASSWORD !== undefined)
      await ensureRoot(db, secrets, {
        username: env.ROOT_USERNAME,
        password: env.ROOT_PASSWORD,
        accessToken: env.ROOT_ACCESS_TOKEN,
      });
    const setupToken = await issueSetupToken(db, secrets);

    const providers = openProviders();
    const demo = await openDemoProvider(env.demoUpstream, providers);
    closers.push(() => demo.close());
    const settings = await createSettings(db, secrets);
    await demo.follow(settings.current().DemoProviderEnabled);
    const mailer = createMailer(() => mailAccount(settings.current()), onError);
    closers.push(() => mailer.close());
    const groups = await createGroups(db);
    const prices = await createPrices(db);
    const candidates = await createCandidates(db, secrets, providers);
    const callers = createCallers(db, secrets);
    const health = createHealth(db, {
      onError,
      nodes: () => nodes.current().nodes,
      circuit() {
        const { CircuitBreakerEnabled, CircuitBreakerThreshold, CircuitBreakerSeconds } = settings.current();
        return {
          enabled: CircuitBreakerEnabled,
          share: CircuitBreakerThreshold,
          pauseMs: CircuitBreakerSeconds * 1_000,
        };
      },
      test: (channel, model, cheap) => probeChannel({ settings, upstream }, channel, model, cheap),
    });
    const memory = createMemoryBudget(
      env.MEMORY_BUDGET_MB === undefined ? defaultMemoryBudget() : env.MEMORY_BUDGET_MB * 1024 * 1024,
    );
    const metrics = createMetrics({ memory, reloads: announcements });
    const bodies = createBodyLog({ pool, secrets, onError, onDropped: () => metrics.bodiesDropped() });
    closers.push(() => bodies.close());
    const upstream = createUpstreamClient();
    closers.push(() => upstream.close());
    const nodeId = randomUUID();
    const ledger = createLedger({ database, nodeId, onError, onBatch: metrics.turn });
    await ledger.start();
    closers.push(() => ledger.close());
    // Bills of clients that left at the last moment.
    const open = new Set<string>();
    closers.push(() => untilEmpty(open));
    const drains = createDrains(() => settings.current().DisconnectDrainSeconds);
    closers.push(async () => drains.close());
    const revocations = createRevocations(db, onError);
    closers.push(async () => revocations.close());

    const kept = { settings, prices, groups } as const;
    // Channels of the demo provider are usable once it runs.
    announcements.on("settings", async () => {
      if (demo.isRunning()) return;
      await settings.reload();
      await demo.follow(settings.current().DemoProviderEnabled);
      if (demo.isRunning()) await candidates.reload();
    });
    for (const [topic, cache] of Object.entries(kept))
      announcements.on(
        topic as keyof typeof kept,
        coalesce(() => cache.reload()),
      );
    announcements.on("channels", (id) => candidates.changed(id));
    announcements.on("tokens", (id) => callers.forgetToken(id));
    announcements.on("users", (id) => callers.forgetUser(id));
    for (const topic of ["tokens", "users"] as const)
      announcements.on(topic, (id) => revocations.changed(topic, id));

    const redis = env.REDIS_URL === undefined ? undefined : connectRedis(env.REDIS_URL, onError);
    if (redis !== undefined) closers.push(async () => redis.disconnect());
    const nodes = await watchNodes(pool, nodeId, onError, {
      ...(redis === undefined && {
        onSeveral: (count: number) =>
          log.warn(
            `${count} nodes use this database, and REDIS_URL is not set: each node allows only its share of every rate limit. Set REDIS_URL on all nodes, so that they count together.`,
          ),
      }),
    });
    closers.push(async () => nodes.close());
    const background = createBackgroundBills(db);
    const answers = createAnswerCache({ secrets, redis });
    const share = () => nodes.current();
    const limiter = createLimiter({ redis, share });

    readiness = createReadiness({
      ping: () => pool.query("SELECT 1"),
      trouble: () => ledger.trouble(),
      stale: () => announcements.stale(),
    });

    const probe = { settings, upstream, random: Math.random, providers };
    const judge: JudgeRoom = {
      db,
      secrets,
      providers,
      settings,
      health,
      testChannel: (input) => testChannel(probe, input),
      fetchBalance: (channel) => fetchBalance(probe, channel),
    };
    const runner = createChannelRunner(db, runTasks(judge), onError);
    closers.push(() => runner.close());
    const relay: RelayServices = {
      memory,
      candidates,
      groups,
      health,
      ledger,
      prices,
      settings,
      upstream,
      metrics,
      bodies,
      answers,
      background,
      storedChannel: (id) => storedChannel({ db, secrets, providers }, id),
      random: Math.random,
      open,
      drains,
      revocations,
      fetchPublic: (address, options) => fetchPublic(address, { ...options, mayReach }),
      onError,
    };
    const followed = followBackground(relay);
    closers.push(() => followed.close());
    const app = await buildApp({
      logger: log,
      basePath: env.basePath,
      trustProxy: env.TRUST_PROXY,
      metrics,
      console: {
        db,
        pool,
        secrets,
        settings,
        health,
        providers,
        identityProviders,
        paymentGateways,
        paymentFetch: publicFetch(mayReach),
        mailer,
        checkPerson: createPersonCheck({ settings: () => settings.current(), fetch: globalThis.fetch }),
        icons: createIcons(db, (address, options) => fetchPublic(address, { ...options, mayReach })),
        post: postToPublic,
        testChannel: judge.testChannel,
        fetchBalance: judge.fetchBalance,
        checkModel: (input) => checkModel(probe, input),
        runner,
        fetchModels: (channel) => fetchModels(probe, channel),
        caughtUp: () => announcements.caughtUp(),
        recentLog: (count) => logRing.last(count),
        readiness,
        startedAt: new Date(),
        version: packageJson.version,
        demo,
        requestCounts: createRequestCounts({ redis, share }),
        apiRateLimit: env.API_RATE_LIMIT,
      },
      gateway: {
        db,
        callers,
        failedKeys: createFailedKeys(),
        limiter,
        uploads: dataDir,
        relay,
      },
    });
    releaseStartMemory();
    await app.listen({
      host: env.HOST,
      port: env.PORT,
      listenTextResolver: (address) => `Bound to ${address}`,
    });
    closers.push(() => app.close());
    letCallsFinish = async () => {
      await within(env.STOP_SECONDS * 1_000, app.close()).catch(() => {
        log.warn(`Calls are still open after ${env.STOP_SECONDS} s; they are cut.`);
        app.server.closeAllConnections();
      });
    };
    // Jobs may take long, and must not take the connections that requests wait for.
    const forJobs = connect(databaseUrl, { max: 3, applicationName: "gateway-jobs", statementMs: 3_600_000 });
    closers.push(() => forJobs.close());
    const jobs = await startJobs(databaseUrl, {
      db: forJobs.db,
      pool: forJobs.pool,
      secrets,
      probe,
      runner,
      telling: { db, mailer, post: postToPublic, settings: () => settings.current() },
      payments: {
        db,
        secrets,
        settings: () => settings.current(),
        gateways: paymentGateways,
        fetch: publicFetch(mayReach),
      },
      tasks: {
        ...probe,
        db,
        secrets,
        post: (address, body, headers) => postToPublic(address, body, headers, { mayReach }),
        onError,
      },
      onError,
    });
    closers.push(() => jobs.stop());

    const { port } = app.server.address() as { port: number };
    const url = `http://localhost:${port}${env.basePath === "" ? "" : `/${env.basePath}`}`;
    log.info(`Listening on ${url}`);
    if (setupToken !== undefined) announceSetup(env, url, setupToken);
    return { url, stop: drainAndStop };
  } catch (error) {
    await stop();
    throw error;
  }
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

/** A step of the stop that waits for nothing but its own work, and all of them. */
const CLOSE_MS = 10_000;
const CLOSE_ALL_MS = 25_000;

async function within(milliseconds: number, work: Promise<unknown>): Promise<void> {
  const late = new AbortController();
  try {
    await Promise.race([
      work,
      sleep(milliseconds, undefined, { signal: late.signal }).then(() => {
        throw new Error(`A step of the stop took longer than ${milliseconds / 1_000} s; it was left behind.`);
      }),
    ]);
  } finally {
    late.abort();
  }
}

async function untilEmpty(open: ReadonlySet<string>): Promise<void> {
  for (let tries = 0; open.size > 0 && tries < 500; tries += 1) await sleep(20);
}
