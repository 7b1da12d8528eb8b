import { defaultSettings, type Settings } from "@gateway/shared/site/settings";
import { afterAll, beforeAll, expect, it } from "vitest";
import { recordFailure } from "#domain/logs/export/export-state.ts";
import { closedUntil, hourMs } from "#domain/logs/export/hours.ts";
import { connect, type Database } from "#platform/database/db.ts";
import { telemetrySettings } from "#platform/telemetry/telemetry-settings.ts";
import { type Collector, startCollector } from "#test/collector.ts";
import { freshDatabase } from "#test/database.ts";
import { logExport, telemetry } from "./exports.ts";
import { type Subject, timeText } from "./finding.ts";

let database: Database;
let collector: Collector;
beforeAll(async () => {
  database = connect((await freshDatabase()).url);
  collector = await startCollector();
});
afterAll(async () => {
  await collector.close();
  await database.close();
});

function subjectOf(variables: Parameters<typeof telemetrySettings>[0], settings: Partial<Settings> = {}) {
  return {
    env: { DATA_DIR: "/data", telemetry: telemetrySettings(variables) },
    database,
    settings: async () => ({ ...defaultSettings, ...settings }),
  } as unknown as Subject;
}

it("telemetry that is not configured is no problem", async () => {
  expect(await telemetry(subjectOf({}))).toMatchObject([{ state: "ok", code: "telemetry_unset" }]);
});

it.each(["http/json", "http/protobuf"] as const)(
  "a collector that accepts %s is named per signal, without credentials",
  async (protocol) => {
    collector.mode = "accept";
    const address = collector.url.replace("http://", "http://someone:hush@");
    const findings = await telemetry(
      subjectOf({ OTEL_EXPORTER_OTLP_ENDPOINT: address, OTEL_EXPORTER_OTLP_PROTOCOL: protocol }),
    );
    expect(findings.map(({ code, params }) => [code, params["signal"], params["address"]])).toEqual(
      ["traces", "metrics", "logs"].map((signal) => [
        "telemetry_accepted",
        signal,
        `${collector.url}/v1/${signal}`,
      ]),
    );
    expect(JSON.stringify(findings)).not.toContain("hush");
  },
);

it("a collector that refuses, or is away, is a problem with its reason", async () => {
  collector.mode = "refuse";
  const refused = await telemetry(
    subjectOf({ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `${collector.url}/v1/traces` }),
  );
  expect(refused).toMatchObject([
    { state: "problem", code: "telemetry_refused", params: { signal: "traces" } },
  ]);
  const gone = await startCollector();
  await gone.close();
  const away = await telemetry(subjectOf({ OTEL_EXPORTER_OTLP_LOGS_ENDPOINT: `${gone.url}/v1/logs` }));
  expect(away).toMatchObject([
    {
      state: "problem",
      code: "telemetry_refused",
      params: { signal: "logs", detail: expect.stringMatching(/./) },
    },
  ]);
});

it("the log export is reported as off, not begun, current, late and failed", async () => {
  const check = async () => {
    const findings = await logExport(subjectOf({}, { LogExportEnabled: true }));
    return findings.map(({ state, code, params }) => [state, code, params["time"] ?? params["detail"]]);
  };
  const exportUntil = (hoursAgo: number) =>
    database.pool.query(
      "INSERT INTO log_export_progress (id, exported_until) VALUES (1, $1) ON CONFLICT (id) DO UPDATE SET exported_until = $1",
      [new Date(closedUntil().getTime() - hoursAgo * hourMs)],
    );
  expect(await logExport(subjectOf({}))).toMatchObject([{ state: "ok", code: "log_export_unused" }]);
  expect(await check()).toEqual([["warning", "log_export_missing", undefined]]);
  await exportUntil(0);
  expect(await check()).toEqual([["ok", "log_export_recent", undefined]]);
  await exportUntil(30);
  const late = ["warning", "log_export_late", timeText(new Date(closedUntil().getTime() - 30 * hourMs))];
  expect(await check()).toEqual([late]);
  await recordFailure(database.pool, { text: "The bucket is gone.", facts: [] });
  expect(await check()).toEqual([["problem", "log_export_failed", "The bucket is gone"], late]);
});
