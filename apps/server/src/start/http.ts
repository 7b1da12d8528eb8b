import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import type { FastifyInstance, FastifyListenOptions } from "fastify";
import type { KeyReferences } from "#domain/channels/key-references/key-references.ts";
import type { ChannelCheckDeps } from "#domain/channels/runs/check-channel.ts";
import type { ChannelRunner } from "#domain/channels/runs/runner.ts";
import { createBalances } from "#domain/ledger/balances/balances.ts";
import type { RequestCounts } from "#domain/limits/request-counts.ts";
import type { Limiter } from "#domain/limits/take.ts";
import type { LogExport } from "#domain/logs/export/log-export.ts";
import type { InvalidChanges } from "#domain/notices/invalid-changes.ts";
import type { StorageWatch } from "#domain/notices/storage.ts";
import type { SettingsStore } from "#domain/settings/settings.ts";
import { shuttingDown } from "#errors.ts";
import { createFailedKeys } from "#gateway/access/failed-keys.ts";
import type { Announcements } from "#platform/announcements.ts";
import type { Database } from "#platform/database/db.ts";
import type { ReadDatabase } from "#platform/database/replica/replica.ts";
import { createOpenResponses, type OpenResponses } from "#platform/http/open-responses.ts";
import type { Mailer } from "#platform/mail.ts";
import { releaseStartMemory } from "#platform/memory/start-memory.ts";
import type { Readiness } from "#platform/readiness.ts";
import type { Secrets } from "#platform/secrets.ts";
import type { Providers } from "#providers/registry.ts";
import type { RelayServices } from "#relay/core/services.ts";
import type { McpSessions } from "#relay/mcp/sessions.ts";
import type { ProbeServices } from "#relay/probe/probe.ts";
import { buildApp } from "../app.ts";
import type { Caches } from "./caches.ts";
import type { Context } from "./context.ts";
import type { DemoProvider } from "./demo-provider.ts";
import { type Component, within } from "./parts.ts";
import { waitForWorkers, collectLogLines } from "./workers/across-workers.ts";
import { sharesPorts } from "./workers/port.ts";

export interface Needs extends Context {
  dataDir: string;
  databaseUrl: string;
  database: Database;
  secrets: Secrets;
  announcements: Announcements;
  settings: SettingsStore;
  providers: Providers;
  demo: DemoProvider;
  mailer: Mailer;
  caches: Caches;
  keyReferences: KeyReferences;
  limiter: Limiter;
  requestCounts: RequestCounts;
  relay: RelayServices;
  probe: ProbeServices;
  checks: ChannelCheckDeps;
  runner: ChannelRunner;
  readiness: Readiness;
  storage: StorageWatch;
  logExport: LogExport;
  invalidChanges: InvalidChanges;
  mcpSessions: McpSessions;
  reads: ReadDatabase;
}

export interface HttpServer {
  /** URL of the server, e.g. http://localhost:3000 */
  url: string;
  port: number;
  /** Returns the number of open connections of clients. */
  connections(): Promise<number>;
  /** Serves calls for the given seconds; their responses close their connections. */
  drain(seconds: number): Promise<void>;
  /** Closes the port and waits for calls, for at most STOP_SECONDS; then ends them with an error. */
  finish(): Promise<void>;
  close(): Promise<void>;
}

/** Maximum wait for the bills and last events of calls that are interrupted. */
const INTERRUPTED_MS = 5_000;

/** Fastify passes all options to Node, but its type lacks this one. */
type ReusableListenOptions = FastifyListenOptions & { reusePort: boolean };

/** The HTTP port. Opened after and closed before everything else. */
export const httpServer: Component<Needs, HttpServer> = {
  name: "http",
  async open(needs) {
    const { env, log, worker, options } = needs;
    const responses = createOpenResponses();
    const app = await routes(needs, responses);
    if (!options.keepStartMemory) releaseStartMemory();
    const listen: ReusableListenOptions = {
      host: env.HOST,
      port: worker?.task.port ?? env.PORT,
      // The system spreads connections over the workers. When one is killed, the others keep their
      // connections.
      reusePort: worker !== undefined && sharesPorts,
      listenTextResolver: (address) => `Bound to ${address}`,
    };
    await app.listen(listen);
    const { port } = app.server.address() as { port: number };
    const finish = async () => {
      const closed = app.close();
      try {
        await within(env.STOP_SECONDS * 1_000, closed);
      } catch {
        log.warn(`Calls are still open after ${env.STOP_SECONDS} s; they are interrupted.`);
        needs.caches.revocations.endAll(shuttingDown());
        await within(INTERRUPTED_MS, closed).catch(() => app.server.closeAllConnections());
      }
    };
    return {
      port,
      url: `http://localhost:${port}${env.basePath === "" ? "" : `/${env.basePath}`}`,
      async drain(seconds) {
        responses.closeConnections();
        await sleep(seconds * 1_000);
        await responses.quiet();
      },
      connections: () => promisify(app.server.getConnections.bind(app.server))(),
      finish,
      close: () => app.close(),
    };
  },
  close: (opened) => opened.close(),
};

function routes(needs: Needs, responses: OpenResponses): Promise<FastifyInstance> {
  const { env, worker, relay, announcements, logRing } = needs;
  // Every worker reports to the others, whether its console is loaded or not.
  const caughtUp = () => announcements.caughtUp();
  const recentLog = async (count: number) => logRing.last(count);
  const together = {
    caughtUp: worker === undefined ? caughtUp : waitForWorkers(worker, caughtUp),
    recentLog: worker === undefined ? recentLog : collectLogLines(worker, (count) => logRing.last(count)),
  };
  return buildApp({
    logger: needs.log,
    basePath: env.basePath,
    trustProxy: env.TRUST_PROXY,
    database: needs.database,
    secrets: needs.secrets,
    readiness: needs.readiness,
    responses,
    activity: needs.activity,
    metrics: relay.metrics,
    openSite: async (basics) => (await import("./site.ts")).openSite({ ...needs, ...together }, basics),
    gateway: {
      db: needs.database.db,
      database: needs.database,
      callers: needs.caches.callers,
      failedKeys: createFailedKeys({ workers: worker === undefined ? 1 : env.workers }),
      limiter: needs.limiter,
      balances: createBalances(needs.database.pool),
      secrets: needs.secrets,
      uploads: needs.dataDir,
      storage: needs.storage,
      mcp: { directory: needs.caches.mcpDirectory, sessions: needs.mcpSessions },
      relay,
    },
  });
}
