import { ROOT_CONTEXT, trace, type SpanContext } from "@opentelemetry/api";
import { type AnyValueMap, type Logger, SeverityNumber } from "@opentelemetry/api-logs";

/** Sends log lines. */
export interface LogWriter {
  /** Sends a line of pino. One that is no JSON is skipped. */
  line(text: string): void;
  /** Sends a line of a call. @param span of the call, so that the line is found beside it */
  call(fields: object, span: SpanContext | undefined): void;
}

/** By pino's levels. */
const severities: Readonly<Record<number, readonly [SeverityNumber, string]>> = {
  10: [SeverityNumber.TRACE, "TRACE"],
  20: [SeverityNumber.DEBUG, "DEBUG"],
  30: [SeverityNumber.INFO, "INFO"],
  40: [SeverityNumber.WARN, "WARN"],
  50: [SeverityNumber.ERROR, "ERROR"],
  60: [SeverityNumber.FATAL, "FATAL"],
};

export function createLogWriter(logger: Pick<Logger, "emit">): LogWriter {
  return {
    line(text) {
      let line: Record<string, unknown>;
      try {
        line = JSON.parse(text) as Record<string, unknown>;
      } catch {
        return;
      }
      const { level, time, msg, pid: _pid, hostname: _hostname, ...attributes } = line;
      const [severityNumber, severityText] = severities[Number(level)] ?? [SeverityNumber.UNSPECIFIED, ""];
      const timestamp = Number(time);
      logger.emit({
        severityNumber,
        severityText,
        timestamp: Number.isFinite(timestamp) ? timestamp : Date.now(),
        body: typeof msg === "string" ? msg : "",
        attributes: attributes as AnyValueMap,
      });
    },
    call(fields, span) {
      logger.emit({
        severityNumber: SeverityNumber.INFO,
        severityText: "INFO",
        timestamp: Date.now(),
        body: "call",
        attributes: fields as AnyValueMap,
        ...(span !== undefined && { context: trace.setSpanContext(ROOT_CONTEXT, span) }),
      });
    },
  };
}
