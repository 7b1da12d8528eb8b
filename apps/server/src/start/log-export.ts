import { createLogExport, type LogExport } from "#domain/logs/export/log-export.ts";
import type { SettingsStore } from "#domain/settings/settings.ts";
import type { Announcements } from "#platform/announcements.ts";
import type { Database } from "#platform/database/db.ts";
import type { Metrics } from "#platform/metrics/metrics.ts";
import type { Context } from "./context.ts";
import type { Component } from "./parts.ts";

interface Needs extends Context {
  announcements: Announcements;
  database: Database;
  databaseUrl: string;
  dataDir: string;
  metrics: Metrics;
  settings: SettingsStore;
}

/** The export of the request log. It runs in a job, or when root starts it. */
export const logExport: Component<Needs, LogExport> = {
  name: "log export",
  async open({ announcements, database: { db, pool }, databaseUrl, dataDir, metrics, settings, onError }) {
    const opened = createLogExport({
      db,
      pool,
      url: databaseUrl,
      dataDir,
      settings: () => settings.current(),
      onError,
    });
    announcements.on("log-export", () => opened.reload());
    await opened.reload();
    metrics.watch({
      name: "gateway_log_export_lag_seconds",
      help: "Seconds since the end of the last hour of the request log that is exported; absent while the export is off.",
      aggregator: "max",
      async read() {
        const seconds = await opened.lag();
        return seconds === undefined ? [] : [[seconds]];
      },
    });
    return opened;
  },
  close: (opened) => opened.close(),
};
