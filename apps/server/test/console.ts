import { randomUUID } from "node:crypto";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Fastify, { type FastifyInstance, type InjectOptions, type LightMyRequestResponse } from "fastify";
import type { Redis } from "ioredis";
import { consoleRoutes } from "#console/index.ts";
import type { Services } from "#console/services.ts";
import { createDiagnostics } from "#diagnostics/runner.ts";
import { seedAccounts } from "#domain/accounts/seed.ts";
import { hashPassword } from "#domain/accounts/sign-in/passwords.ts";
import { createPersonCheck } from "#domain/accounts/sign-in/person-check.ts";
import { startSession } from "#domain/accounts/sign-in/sessions.ts";
import { backupFailure } from "#domain/backups/backup-records.ts";
import { createManualBackup } from "#domain/backups/manual-backup.ts";
import { createIcons } from "#domain/catalog/icons.ts";
import type { ChannelForTest } from "#domain/channels/channel-row.ts";
import { createHealth } from "#domain/channels/health/health.ts";
import { type ChannelCheckDeps, runTasks } from "#domain/channels/runs/check-channel.ts";
import { createChannelRunner } from "#domain/channels/runs/runner.ts";
import { credit } from "#domain/ledger/balances/credit.ts";
import { createRequestCounts } from "#domain/limits/request-counts.ts";
import { createLogExport } from "#domain/logs/export/log-export.ts";
import { createWholeReads } from "#domain/logs/whole-reads.ts";
import { checkModelList } from "#domain/model-changes/check.ts";
import { watchInvalidChanges } from "#domain/notices/invalid-changes.ts";
import { raiseNotice } from "#domain/notices/notices.ts";
import { mailAccount } from "#domain/settings/mail-account.ts";
import { createSettings } from "#domain/settings/settings.ts";
import { createWebSearch } from "#domain/web-search/web-search.ts";
import { upstreamFailed } from "#errors.ts";
import { createComparisons } from "#migration/compare/comparisons.ts";
import { createImportRunner } from "#migration/runner.ts";
import { openPaymentGateways, type PaymentGateways } from "#payments/index.ts";
import { connect, type Database } from "#platform/database/db.ts";
import { readPrimary } from "#platform/database/replica/replica.ts";
import { fetchPublic, postToPublic, publicFetch } from "#platform/http/public-fetch.ts";
import { createMailer } from "#platform/mail.ts";
import type { Prisma, User } from "#platform/prisma/client.ts";
import { openSecrets, randomText } from "#platform/secrets.ts";
import { demo } from "#providers/definitions/demo.ts";
import { openProviders } from "#providers/registry.ts";
import { type IdentityProviders, identityProviders } from "#sign-in/index.ts";
import { freshDatabase } from "./database.ts";
import { testKeyReferences, testKeySources } from "./key-references.ts";

/** The management API with a real, empty database. Only the upstream is simulated. */
export interface TestConsole {
  app: FastifyInstance;
  services: Services;
  database: Database;
  /** Recorded upstream calls, and whether they succeed. */
  upstream: {
    calls: { channel: ChannelForTest; model: string }[];
    ok: boolean;
    /** The names that every provider lists. */
    models: string[];
  };
  makeUser(values?: Partial<Prisma.UserUncheckedCreateInput> & { balance?: bigint }): Promise<User>;
  /** Returns a browser that is signed in as this user. */
  as(user: { id: number }): Promise<Browser>;
  /** A browser without a cookie. */
  guest: Browser;
  close(): Promise<void>;
}

export interface Answer<T = unknown> {
  status: number;
  body: { success: boolean; message: string; data: T; code?: string; fields?: Record<string, string> };
  response: LightMyRequestResponse;
}

export interface Browser {
  cookie: string | undefined;
  get<T = unknown>(url: string): Promise<Answer<T>>;
  send<T = unknown>(
    method: "POST" | "PUT" | "PATCH" | "DELETE",
    url: string,
    body?: unknown,
    headers?: Record<string, string>,
  ): Promise<Answer<T>>;
}

/** Header that the console sends. Without it, responses have the format of One Hub. */
export const version2 = { "api-version": "2" };

/** Headers that the console's pages send with requests that change data. */
export const origin = { ...version2, origin: "http://localhost:80", host: "localhost:80" };

export async function buildConsole(
  options: {
    basePath?: string;
    trustProxy?: boolean;
    identityProviders?: IdentityProviders;
    paymentGateways?: PaymentGateways;
    /** Addresses of payment gateways that may be called; all by default. */
    mayReach?: (address: string) => boolean;
    turnstile?: string;
    /** Requests per address within three minutes. The default exceeds what any test sends. */
    apiRateLimit?: number;
    /** Variables from which keys of channels can be read. */
    environment?: Record<string, string>;
    redis?: Redis;
    diagnostics?: Parameters<typeof createDiagnostics>[1];
  } = {},
): Promise<TestConsole> {
  const place = await freshDatabase();
  const database = connect(place.url, { max: 6 });
  const { db } = database;
  await seedAccounts(db);
  // Created when it is needed.
  const dataDir = join(tmpdir(), `gateway-data-${randomUUID()}`);
  const secrets = openSecrets("a secret that only this test run knows");
  const upstream: TestConsole["upstream"] = { calls: [], ok: true, models: ["model-b", "model-a"] };
  const settings = await createSettings(db, secrets);
  const mailer = createMailer(
    () => mailAccount(settings.current()),
    () => {},
    10,
  );
  const health = createHealth(db, {
    onError: (error) => {
      throw error;
    },
  });
  const keyReferences = testKeyReferences(options.environment);
  const checks: ChannelCheckDeps = {
    db,
    secrets,
    settings,
    health,
    keyReferences,
    providers: openProviders().set(900, demo("http://127.0.0.1:9")),
    async testChannel(input) {
      upstream.calls.push(input);
      const message = upstream.ok ? "" : "The provider refuses the key.";
      return {
        ok: upstream.ok,
        model: input.model,
        duration: 12,
        message,
        message_facts: [],
        fault: upstream.ok ? "" : "auth",
      };
    },
    async fetchBalance(channel) {
      return channel.base_url === "" ? undefined : { amount: 12.5, currency: "CNY" };
    },
  };
  const fetchModels: Services["fetchModels"] = async (channel) => {
    upstream.calls.push({ channel, model: "" });
    if (!upstream.ok) throw upstreamFailed({ reason: "model_list_failed", detail: "HTTP 500." });
    return [...upstream.models];
  };
  const tasks = {
    ...runTasks(checks),
    models: (id: number) => checkModelList({ ...checks, fetchModels }, id),
  };
  const manualBackup = createManualBackup({
    db,
    source: { url: place.url, version: "0.0.0", dataDir },
    settings: () => settings.current(),
    reportFailure: (reason) => raiseNotice(db, { ...backupFailure, facts: { job: "write-backups" }, reason }),
    onError: () => undefined,
  });
  const services: Services = {
    ...checks,
    health,
    runner: createChannelRunner(db, tasks, (error) => {
      throw error;
    }),
    comparisons: createComparisons({
      db,
      pool: database.pool,
      onError: (error) => {
        throw error;
      },
    }),
    imports: createImportRunner({
      db,
      secrets,
      databaseUrl: place.url,
      dataDir: join(tmpdir(), `gateway-imports-${randomUUID()}`),
      onError: (error) => {
        throw error;
      },
    }),
    diagnostics: createDiagnostics(
      {
        env: {
          PORT: 9,
          DATA_DIR: tmpdir(),
          REDIS_URL: undefined,
          redisSentinels: undefined,
          replica: undefined,
          workers: 1,
          basePath: "",
          keySources: testKeySources(options.environment),
          telemetry: undefined,
        },
        database,
        secrets: async () => secrets,
        settings: async () => settings.current(),
      },
      options.diagnostics,
    ),
    checkModel: async ({ model }) => ({ model, process: [] }),
    pool: database.pool,
    dataDir,
    reads: readPrimary(database),
    wholeLogs: createWholeReads(readPrimary(database)),
    manualBackup,
    logExport: createLogExport({
      db,
      pool: database.pool,
      url: place.url,
      dataDir,
      settings: () => settings.current(),
      // Its failures are in its status.
      onError: () => undefined,
    }),
    invalidChanges: watchInvalidChanges(db, (error) => {
      throw error;
    }),
    mailer,
    webSearch: createWebSearch({ settings, fetch: globalThis.fetch, now: Date.now }),
    checkPerson: createPersonCheck({
      settings: () => settings.current(),
      fetch: globalThis.fetch,
      ...(options.turnstile === undefined ? {} : { address: options.turnstile }),
    }),
    // The servers of tests listen on this machine.
    icons: createIcons(db, (address, options) => fetchPublic(address, { ...options, mayReach: () => true })),
    post: (url, body, headers) => postToPublic(url, body, headers, { mayReach: () => true }),
    identityProviders: options.identityProviders ?? identityProviders,
    paymentGateways: options.paymentGateways ?? openPaymentGateways(),
    paymentFetch: publicFetch(options.mayReach ?? (() => true)),
    fetchModels,
    caughtUp: () => Promise.resolve(),
    recentLog: async () => [{ time: "2026-01-01 00:00:00", level: "info", message: "started" }],
    readiness: { check: () => Promise.resolve({ stale: [], problems: [] }) },
    onError: () => undefined,
    requestCounts: createRequestCounts({ redis: options.redis }),
    apiRateLimit: options.apiRateLimit ?? 100_000,
    startedAt: new Date(),
    version: "0.0.0-test",
    demo: { isRunning: () => true, isOffered: () => false },
  };
  // Every test uses its own client address, so that tests do not share a rate limit.
  const app = Fastify({
    trustProxy: options.trustProxy ?? true,
    routerOptions: { ignoreTrailingSlash: true },
    genReqId: () => randomUUID(),
  });
  await app.register(consoleRoutes, {
    services,
    ...(options.basePath === undefined ? {} : { basePath: options.basePath }),
  });
  await app.ready();

  function browser(cookie: string | undefined): Browser {
    const address = `10.${dice()}.${dice()}.${dice()}`;
    async function ask<T>(request: InjectOptions): Promise<Answer<T>> {
      const response = await app.inject({
        ...request,
        headers: {
          "x-forwarded-for": address,
          ...version2,
          ...(cookie === undefined ? {} : { cookie: `session=${cookie}` }),
          ...request.headers,
        },
      });
      return { status: response.statusCode, body: response.json(), response };
    }
    return {
      cookie,
      get: (url) => ask({ method: "GET", url }),
      send: (method, url, body, headers = {}) =>
        ask({
          method,
          url,
          headers: { ...origin, ...headers },
          ...(body === undefined ? {} : { payload: body as Record<string, unknown> }),
        }),
    };
  }

  return {
    app,
    services,
    database,
    upstream,
    async makeUser({ balance, ...values } = {}) {
      const user = await db.user.create({
        data: { username: `user-${randomText(10)}`, aff_code: randomText(12), ...values },
      });
      if (balance !== undefined) {
        const reference = `test:${user.id}`;
        await credit(db, { userId: user.id, kind: "gift", amount: balance, reference, reason: "" });
      }
      return db.user.findUniqueOrThrow({ where: { id: user.id } });
    },
    async as(user) {
      return browser(
        await startSession(db, secrets, { id: user.id }, { ip: "127.0.0.1", userAgent: "test" }),
      );
    },
    guest: browser(undefined),
    async close() {
      await services.runner.close();
      await services.imports.close();
      await manualBackup.close();
      await services.comparisons.close();
      await app.close();
      await mailer.close();
      await database.close();
      await place.drop();
    },
  };
}

export function passwordOf(password: string): Promise<string> {
  return hashPassword(password);
}

function dice(): number {
  return Math.floor(Math.random() * 256);
}
