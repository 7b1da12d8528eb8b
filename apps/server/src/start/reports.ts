import { openAccessLog } from "#platform/log/log.ts";
import type { CallReporter } from "#relay/core/billing/call-report.ts";
import { createAccessLog } from "#relay/reporting/access-log.ts";
import type { Context } from "./context.ts";
import type { Component } from "./parts.ts";

interface CallReports {
  reporter: CallReporter | undefined;
  close(): void;
}

/** Who is told about ended calls: the access log. */
export const callReports: Component<Context, CallReports> = {
  name: "reports of calls",
  open({ env }) {
    if (!env.accessLog) return { reporter: undefined, close: () => undefined };
    const { log, close } = openAccessLog(env);
    return { reporter: createAccessLog(log), close };
  },
  close: (opened) => opened.close(),
};
