/** The filter of the list, kept in the address. Pure. */
import type { LogQuery } from "@gateway/shared/usage/log";
import { outcomes } from "@gateway/shared/usage/outcomes";
import { startOf } from "#lib/address/day-ranges.ts";
import { oneOf, paging, type Params, sizeOf, textParam, whole } from "#lib/address/params.ts";

export const ranges = ["hour", "24h", "today", "7d", "30d", "90d", "all", "custom"] as const;
export type LogRange = (typeof ranges)[number];

/** `from` and `to` are unix seconds and apply only to a custom range; 0 is open. */
export type LogFilter = Omit<LogQuery, "cursor" | "start_timestamp" | "end_timestamp" | "page"> & {
  range: LogRange;
  from: number;
  to: number;
  /** An administrator's own calls only. */
  view: "" | "own";
};
export const logParams: Params<LogFilter> = {
  size: sizeOf(50),
  order: paging.order,
  log_type: whole(0, 5),
  model_name: textParam(160),
  token_name: textParam(64),
  request_id: textParam(64),
  source_ip: textParam(64),
  session: textParam(200),
  derived_key: textParam(32),
  billing_tag: textParam(50),
  username: textParam(64),
  channel_id: whole(),
  outcome: oneOf(["", ...outcomes]),
  error_code: textParam(100),
  retried: whole(0, 1),
  min_time: whole(),
  min_quota: whole(),
  range: oneOf(ranges, "7d"),
  from: whole(),
  to: whole(),
  view: oneOf(["", "own"]),
};

const hourSeconds = 3600;

type Window = { start_timestamp: number; end_timestamp: number };

/** Only a custom range has an end, so that other ranges keep receiving new rows. */
export function logWindow({ range, from, to }: Pick<LogFilter, "range" | "from" | "to">, now: Date): Window {
  const seconds = Math.floor(now.getTime() / 1000);
  const since = (start: number): Window => ({ start_timestamp: start, end_timestamp: 0 });
  switch (range) {
    case "hour":
      return since(seconds - hourSeconds);
    case "24h":
      return since(seconds - 24 * hourSeconds);
    case "today":
    case "7d":
    case "30d":
    case "90d":
      return since(startOf(range, now).getTime() / 1000);
    case "all":
      return since(0);
    case "custom":
      return { start_timestamp: from, end_timestamp: to };
  }
}

const narrowing = [
  "model_name",
  "token_name",
  "request_id",
  "source_ip",
  "billing_tag",
  "session",
  "derived_key",
  "username",
  "channel_id",
  "outcome",
  "error_code",
  "retried",
  "min_time",
  "min_quota",
] as const satisfies (keyof LogFilter)[];

/** Resets all filters except the tab, the time range and the owner of the rows. */
export const noNarrowing: Partial<LogFilter> = {
  model_name: "",
  token_name: "",
  request_id: "",
  source_ip: "",
  billing_tag: "",
  session: "",
  derived_key: "",
  username: "",
  channel_id: 0,
  outcome: "",
  error_code: "",
  retried: 0,
  min_time: 0,
  min_quota: 0,
};

export function countNarrowing(filter: LogFilter): number {
  return narrowing.filter((field) => filter[field] !== "" && filter[field] !== 0).length;
}
