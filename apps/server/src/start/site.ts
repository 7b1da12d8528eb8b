import type { FastifyInstance } from "fastify";
import { createDiagnostics } from "#diagnostics/runner.ts";
import { createPersonCheck } from "#domain/accounts/sign-in/person-check.ts";
import { backupFailure, backupJob } from "#domain/backups/backup-records.ts";
import { createManualBackup } from "#domain/backups/manual-backup.ts";
import { createIcons } from "#domain/catalog/icons.ts";
import { createWholeReads } from "#domain/logs/whole-reads.ts";
import { raiseNotice } from "#domain/notices/notices.ts";
import { createComparisons } from "#migration/compare/comparisons.ts";
import { createImportRunner } from "#migration/runner.ts";
import { boundedFetch, fetchPublic, postToPublic, publicFetch } from "#platform/http/public-fetch.ts";
import type { LogLine } from "#platform/log/log.ts";
import { checkModel } from "#relay/probe/model-check.ts";
import { fetchModels } from "#relay/probe/probe.ts";
import { identityProviders } from "#sign-in/index.ts";
import { version } from "#version.ts";
import type { SiteBasics } from "../app.ts";
import { buildSite } from "../site-app.ts";
import type { Needs } from "./http.ts";

interface SiteNeeds extends Needs {
  /** Resolves when all workers have processed earlier announcements. */
  caughtUp(): Promise<void>;
  recentLog(count: number): Promise<LogLine[]>;
}

/** Opens the console and the site. Loaded with the first request for them. */
export async function openSite(needs: SiteNeeds, basics: SiteBasics): Promise<FastifyInstance> {
  const { env, options, settings, relay, probe, checks, onError } = needs;
  const { db, pool } = needs.database;
  const { mayReach, paymentGateways } = options;
  const { secrets, databaseUrl, dataDir } = needs;
  const imports = createImportRunner({ db, secrets, databaseUrl, dataDir, onError });
  const comparisons = createComparisons({ db, pool, onError });
  const manualBackup = createManualBackup({
    db,
    source: { url: databaseUrl, version, dataDir },
    settings: () => settings.current(),
    reportFailure: (reason) => raiseNotice(db, { ...backupFailure, facts: { job: backupJob }, reason }),
    onError,
  });
  const services = {
    db,
    pool,
    secrets,
    keyReferences: needs.keyReferences,
    dataDir,
    settings,
    health: checks.health,
    providers: needs.providers,
    identityProviders,
    paymentGateways,
    paymentFetch: publicFetch(mayReach),
    mailer: needs.mailer,
    webSearch: relay.webSearch,
    checkPerson: createPersonCheck({ settings: () => settings.current(), fetch: boundedFetch() }),
    icons: createIcons(db, (address, given) => fetchPublic(address, { ...given, mayReach })),
    post: postToPublic,
    testChannel: checks.testChannel,
    fetchBalance: checks.fetchBalance,
    checkModel: (input: Parameters<typeof checkModel>[1]) => checkModel(probe, input),
    runner: needs.runner,
    imports,
    comparisons,
    reads: needs.reads,
    wholeLogs: createWholeReads(needs.reads),
    logExport: needs.logExport,
    manualBackup,
    invalidChanges: needs.invalidChanges,
    diagnostics: createDiagnostics({
      env,
      database: needs.database,
      secrets: async () => secrets,
      settings: async () => settings.current(),
    }),
    fetchModels: (channel: Parameters<typeof fetchModels>[1]) => fetchModels(probe, channel),
    caughtUp: needs.caughtUp,
    recentLog: needs.recentLog,
    readiness: needs.readiness,
    onError,
    startedAt: needs.startedAt,
    version: version,
    demo: needs.demo,
    requestCounts: needs.requestCounts,
    apiRateLimit: env.API_RATE_LIMIT,
  };
  const close = async () => {
    await Promise.all([imports.close(), comparisons.close(), manualBackup.close()]);
  };
  return buildSite({ basePath: env.basePath, console: services, metrics: relay.metrics, close }, basics);
}
