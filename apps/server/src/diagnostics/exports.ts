/** Checks of what the gateway sends elsewhere: telemetry, and the request log. */
import { readExportState } from "#domain/logs/export/export-state.ts";
import { closedUntil, hourMs } from "#domain/logs/export/hours.ts";
import { exportStorage } from "#domain/logs/export/log-export.ts";
import { openStorage } from "#platform/storage/open-storage.ts";
import { detailOf, ok, problem, type Subject, timeText, warning } from "./finding.ts";

export async function telemetry({ env }: Subject) {
  if (env.telemetry === undefined) return ok("telemetry_unset");
  // Its libraries are loaded only where they are used.
  const { probeCollector } = await import("#platform/telemetry/probe-collector.ts");
  const probes = await probeCollector(env.telemetry);
  return probes.flatMap(({ signal, address, failure }) =>
    failure === undefined
      ? ok("telemetry_accepted", { signal, address })
      : problem("telemetry_refused", { signal, address, detail: detailOf(failure) }),
  );
}

// The job runs every five minutes, at rest once an hour.
const mostHoursBehind = 1;

export async function logExport({ env, settings, database: { pool } }: Subject) {
  const current = await settings();
  if (!current.LogExportEnabled) return ok("log_export_unused");
  const { place } = openStorage(exportStorage(current, env.DATA_DIR));
  const state = await readExportState(pool);
  if (state === undefined) return warning("log_export_missing", { place });
  const { exportedUntil } = state;
  const hoursBehind = (closedUntil().getTime() - exportedUntil.getTime()) / hourMs;
  return [
    ...(state.failures > 0 ? problem("log_export_failed", { detail: detailOf(state.reason) }) : []),
    ...(hoursBehind > mostHoursBehind
      ? warning("log_export_late", { place, time: timeText(exportedUntil) })
      : ok("log_export_recent", { place })),
  ];
}
