import { randomUUID } from "node:crypto";
import { hostname } from "node:os";
import { plainReason } from "@gateway/shared/reasons";
import { raiseNotice } from "#domain/notices/notices.ts";
import type { SettingsStore } from "#domain/settings/settings.ts";
import type { Database } from "#platform/database/db.ts";
import { openAccessLog } from "#platform/log/log.ts";
import type { Metrics } from "#platform/metrics/metrics.ts";
import type { Telemetry } from "#platform/telemetry/open-telemetry.ts";
import type { CallReporter } from "#relay/core/billing/call-report.ts";
import type { RelayServices } from "#relay/core/services.ts";
import { createAccessLog } from "#relay/reporting/access-log.ts";
import { version } from "#version.ts";
import type { Context } from "./context.ts";
import { type Component, within } from "./parts.ts";

interface Needs extends Context {
  database: Database;
  metrics: Metrics;
  settings: SettingsStore;
}

interface CallReports extends Pick<RelayServices, "reporter" | "tracing"> {
  /** Whether a collector is configured that does not accept what is sent. */
  isFailing(): boolean;
  close(): Promise<void>;
}

/** Time to send what waits when the node stops, in milliseconds. */
const LAST_EXPORT_MS = 3_000;

/** What receives ended calls: the access log and an OpenTelemetry collector. */
export const callReports: Component<Needs, CallReports> = {
  name: "reports of calls",
  async open(needs) {
    const telemetry = await openTelemetry(needs);
    const accessLog = needs.env.accessLog ? openAccessLog(needs.env) : undefined;
    const spans = await callSpans(needs, telemetry);
    const reporters: CallReporter[] = [];
    if (accessLog !== undefined) reporters.push(createAccessLog(accessLog.log, telemetry?.logs));
    if (spans !== undefined) reporters.push(spans);
    return {
      reporter: together(reporters),
      tracing: spans,
      isFailing: () => telemetry?.isFailing() === true,
      async close() {
        accessLog?.close();
        if (telemetry !== undefined) await within(LAST_EXPORT_MS, telemetry.close()).catch(() => undefined);
      },
    };
  },
  close: (opened) => opened.close(),
};

/** Loads OpenTelemetry only if it is configured. */
async function openTelemetry(needs: Needs): Promise<Telemetry | undefined> {
  const { env, log, logRing, metrics, database, onError } = needs;
  if (env.telemetry === undefined) return undefined;
  const { endpoints } = env.telemetry;
  const library = await import("#platform/telemetry/open-telemetry.ts");
  const telemetry = library.openTelemetry({
    settings: env.telemetry,
    version: version,
    instanceId: randomUUID(),
    metrics,
    onChange(signal, failure) {
      const address = endpoints[signal];
      if (failure === undefined)
        return log.info({ address }, `The OpenTelemetry collector accepts ${signal} again.`);
      const reason = failure.message.slice(0, 300);
      log.warn(
        { address, reason },
        `The OpenTelemetry collector does not accept ${signal}. Calls are not affected.`,
      );
      const node = hostname();
      raiseNotice(database.db, {
        event: "telemetry-refused",
        topic: `telemetry:${node}`,
        facts: { node, signal },
        reason: plainReason(reason),
      }).catch(onError);
    },
  });
  const { logs } = telemetry;
  if (logs !== undefined) logRing.follow((line) => logs.line(line));
  return telemetry;
}

async function callSpans({ env, settings }: Needs, telemetry: Telemetry | undefined) {
  if (env.telemetry === undefined || telemetry?.spans === undefined) return undefined;
  const { createCallSpans } = await import("#relay/reporting/call-spans.ts");
  const { toProviders, withContent } = env.telemetry;
  const pointsPerUsd = () => settings.current().QuotaPerUnit;
  return createCallSpans(telemetry.spans, { toProviders, withContent, pointsPerUsd });
}

function together(reporters: readonly CallReporter[]): CallReporter | undefined {
  if (reporters.length < 2) return reporters[0];
  return {
    ended(report) {
      for (const reporter of reporters) reporter.ended(report);
    },
  };
}
