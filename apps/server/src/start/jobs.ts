import type { KeyReferences } from "#domain/channels/key-references/key-references.ts";
import type { ChannelRunner } from "#domain/channels/runs/runner.ts";
import type { LogExport } from "#domain/logs/export/log-export.ts";
import type { SettingsStore } from "#domain/settings/settings.ts";
import { startJobs } from "#jobs/index.ts";
import type { JobServices } from "#jobs/job.ts";
import type { Announcements } from "#platform/announcements.ts";
import { connect, type Database } from "#platform/database/db.ts";
import { postToPublic, publicFetch } from "#platform/http/public-fetch.ts";
import type { Mailer } from "#platform/mail.ts";
import type { Metrics } from "#platform/metrics/metrics.ts";
import type { Secrets } from "#platform/secrets.ts";
import type { ProbeServices } from "#relay/probe/probe.ts";
import { version } from "#version.ts";
import type { Context } from "./context.ts";
import type { Component } from "./parts.ts";

/** Separate connections for jobs, which may take long and must not use those that requests wait for. */
export const jobDatabase: Component<{ databaseUrl: string; announcements: Announcements }, Database> = {
  name: "database of jobs",
  open({ databaseUrl, announcements }) {
    const opened = connect(databaseUrl, { max: 3, applicationName: "gateway-jobs", statementMs: 3_600_000 });
    announcements.onSilence(() => opened.dropSilent());
    return opened;
  },
  close: (opened) => opened.close(),
};

/** The jobs whose last run failed, on any node. */
export const failedJobs: Component<{ database: Database; announcements: Announcements }, Set<string>> = {
  name: "failed jobs",
  async open({ database: { pool }, announcements }) {
    const names = new Set<string>();
    const load = async () => {
      const { rows } = await pool.query<{ name: string }>(
        "SELECT name FROM job_schedules WHERE failed_at IS NOT NULL",
      );
      names.clear();
      for (const { name } of rows) names.add(name);
    };
    announcements.on("jobs", load);
    await load();
    return names;
  },
};

interface Needs extends Context {
  logExport: LogExport;
  metrics: Metrics;
  dataDir: string;
  databaseUrl: string;
  database: Database;
  jobDatabase: Database;
  secrets: Secrets;
  settings: SettingsStore;
  mailer: Mailer;
  keyReferences: KeyReferences;
  probe: ProbeServices;
  runner: ChannelRunner;
}

export const recurringJobs: Component<Needs, { stop(): Promise<void> }> = {
  name: "jobs",
  open({
    dataDir,
    databaseUrl,
    database: { db },
    secrets,
    probe,
    runner,
    mailer,
    options,
    activity,
    onError,
    ...needs
  }) {
    const settings = () => needs.settings.current();
    const { mayReach, paymentGateways } = options;
    const services: Omit<JobServices, "stopping"> = {
      db: needs.jobDatabase.db,
      pool: needs.jobDatabase.pool,
      secrets,
      backups: { url: databaseUrl, version: version, dataDir },
      keyReferences: needs.keyReferences,
      logExport: needs.logExport,
      probe,
      runner,
      telling: { db, mailer, post: postToPublic, settings },
      payments: { db, secrets, settings, gateways: paymentGateways, fetch: publicFetch(mayReach) },
      tasks: {
        ...probe,
        db,
        secrets,
        keyReferences: needs.keyReferences,
        post: (address, body, headers) => postToPublic(address, body, headers, { mayReach }),
        onError,
      },
      activity,
      onError,
    };
    return startJobs(databaseUrl, services, { onRun: needs.metrics.jobRun });
  },
  close: (opened) => opened.stop(),
};
