import type { GroupType } from "@gateway/shared/usage/analytics";
import { LogFacetsQuery, LogQuery } from "@gateway/shared/usage/log";
import { describeCacheEffect } from "#domain/logs/cache-effect.ts";
import { logFacets } from "#domain/logs/facets.ts";
import type { LogView } from "#domain/logs/filter.ts";
import { findCall } from "#domain/logs/find-call.ts";
import { searchLogs } from "#domain/logs/search.ts";
import { totalLogs } from "#domain/logs/totals.ts";
import { daysByModel, healthByModel } from "#domain/model-health/model-health.ts";
import { describeInsights } from "#domain/overview/insights.ts";
import { describeUsageOf, hoursOfChannels } from "#domain/overview/object-usage.ts";
import { describeOverview } from "#domain/overview/overview.ts";
import { explainCall } from "#domain/pricing/explain.ts";
import { accountVersions } from "#domain/usage/account-versions.ts";
import { failuresSince } from "#domain/usage/failures.ts";
import { lastMinute } from "#domain/usage/last-minute.ts";
import { ownUsage } from "#domain/usage/own-usage.ts";
import { describePeriod } from "#domain/usage/period.ts";
import { describeSite } from "#domain/usage/site.ts";
import { closedMonths, listStatements, statementLines, statementUsers } from "#domain/usage/statements.ts";
import type { Database, Pool } from "#platform/database/db.ts";

/** A screen of the console, with its queries of the log and its roll-ups. */
export interface Screen {
  name: string;
  ask(pool: Pool): Promise<unknown>;
}

const everybody: LogView = { of: "everybody" };
const dayMs = 86_400_000;
const zone = "Asia/Shanghai";

/** Names, ids and a deep page position, taken from the middle of the data. */
interface Sample {
  user: number;
  username: string;
  model: string;
  token: string;
  channel: number;
  ip: string;
  id: string;
  requestId: string;
  cursor: string;
}

export async function takeSample(pool: Pool): Promise<Sample> {
  const { rows: heavy } = await pool.query(
    `SELECT t.key::int AS id, u.username FROM usage_totals t JOIN users u ON u.id = t.key::int
      WHERE kind = 'user' AND span = 'day' GROUP BY 1, 2 ORDER BY sum(t.request_count) DESC LIMIT 1`,
  );
  const { rows } = await pool.query(
    `SELECT id, created_at, request_id, model_name, token_name, channel_id, source_ip FROM request_logs
      WHERE created_at > now() - interval '12 days' AND type = 2 ORDER BY created_at, id LIMIT 1`,
  );
  // Start of page 10,000 with ten rows per page.
  const { rows: deep } = await pool.query<{ id: bigint; created_at: Date }>(
    "SELECT id, created_at FROM request_logs ORDER BY created_at DESC, id DESC OFFSET 99990 LIMIT 1",
  );
  const [row] = rows;
  const at = deep[0]?.created_at.getTime() ?? 0;
  return {
    user: heavy[0]?.id,
    username: heavy[0]?.username,
    model: row.model_name,
    token: row.token_name,
    channel: row.channel_id,
    ip: row.source_ip,
    id: String(row.id),
    requestId: row.request_id,
    cursor: `${at.toString(36)}.${(deep[0]?.id ?? 0n).toString(36)}`,
  };
}

export function screensOf(database: Database, sample: Sample): Screen[] {
  const owner: LogView = { of: "owner", userId: sample.user };
  const now = Math.floor(Date.now() / 1000);
  const filters: [string, Partial<LogQuery>][] = [
    ["no filter", {}],
    ["last 7 days", { start_timestamp: now - 7 * 86_400 }],
    ["charged calls", { log_type: 2 }],
    ["top-ups", { log_type: 1 }],
    ["failed calls", { log_type: 5 }],
    ["model", { model_name: sample.model }],
    ["model no one used", { model_name: "nothing" }],
    ["token name", { token_name: sample.token }],
    ["channel", { channel_id: sample.channel }],
    ["user", { username: sample.username }],
    ["address", { source_ip: sample.ip }],
    ["request id", { request_id: sample.requestId }],
    ["billing tag", { billing_tag: "batch" }],
    ["user and model", { username: sample.username, model_name: sample.model }],
    ["channel and model", { channel_id: sample.channel, model_name: sample.model }],
    ["failed calls of a user", { log_type: 5, username: sample.username }],
  ];
  const ask = (query: Partial<LogQuery>) => LogQuery.parse(query);
  const view = (name: string, whose: LogView, query: Partial<LogQuery>): Screen[] => [
    { name: `list: ${name}`, ask: (pool) => searchLogs(pool, whose, ask({ size: 50, ...query })) },
    { name: `totals: ${name}`, ask: (pool) => totalLogs(pool, whose, ask(query)) },
  ];
  const facetsOf = (name: string, whose: LogView, query: Partial<LogQuery>): Screen[] => [
    { name: `facets: ${name}`, ask: (pool) => logFacets(pool, whose, LogFacetsQuery.parse(query)) },
  ];
  const period = (days: number, groupType: GroupType, userId?: number): Screen => ({
    name: `analytics: ${days} days by ${groupType}${userId === undefined ? "" : " of one user"}`,
    ask: (pool) =>
      describePeriod(
        { db: database.db, pool },
        {
          from: new Date(Math.floor(Date.now() / dayMs) * dayMs - (days - 1) * dayMs),
          to: new Date(),
          groupType,
          userId,
          timeZone: zone,
        },
      ),
  });
  const dayAgo = new Date(Date.now() - dayMs);
  const hundred = Array.from({ length: 100 }, (_, place) => sample.user + place);
  const hundredChannels = Array.from({ length: 100 }, (_, place) => place + 1);
  const lastDays = (days: number) => ({ from: new Date(Date.now() - days * dayMs), to: new Date() });
  const month = new Date(Date.UTC(new Date().getUTCFullYear(), new Date().getUTCMonth() - 1)).toISOString();
  return [
    ...filters.flatMap(([name, query]) => view(name, everybody, query)),
    { name: "list: page 10,000", ask: (pool) => searchLogs(pool, everybody, ask({ cursor: sample.cursor })) },
    ...view("slow calls", everybody, { min_time: 10_000 }),
    ...view("calls retried, last 7 days", everybody, { retried: 1, start_timestamp: now - 7 * 86_400 }),
    ...view("an error that no call has", everybody, { error_code: "nothing" }),
    ...facetsOf("no filter", everybody, {}),
    ...facetsOf("last 7 days", everybody, { start_timestamp: now - 7 * 86_400 }),
    ...facetsOf("user and slow", everybody, { username: sample.username, min_time: 10_000 }),
    ...facetsOf("own", owner, {}),
    { name: "call by number", ask: (pool) => findCall(pool, everybody, sample.id) },
    { name: "call by request", ask: (pool) => findCall(pool, everybody, sample.requestId) },
    { name: "list: page 1", ask: (pool) => searchLogs(pool, everybody, ask({})) },
    ...view("own", owner, {}),
    ...view("own, model", owner, { model_name: sample.model }),
    ...view("own, address", owner, { source_ip: sample.ip }),
    { name: "explain by row", ask: (pool) => explainCall(pool, sample.id) },
    { name: "explain by request", ask: (pool) => explainCall(pool, sample.requestId) },
    {
      name: "dashboard: eight days",
      ask: (pool) => ownUsage(pool, { userId: sample.user, timeZone: zone, days: 8 }),
    },
    { name: "dashboard: failed calls of a day", ask: (pool) => failuresSince(pool, dayAgo, sample.user) },
    { name: "dashboard: versions of 100 accounts", ask: (pool) => accountVersions(pool, hundred) },
    {
      name: "overview",
      ask: (pool) =>
        describeOverview({
          db: database.db,
          pool,
          settings: { current: () => ({ QuotaPerUnit: 500_000, PaymentUSDRate: 7 }) },
        }),
    },
    {
      name: "analytics: 7 days of insights",
      ask: (pool) => describeInsights(pool, { ...lastDays(7), timeZone: "UTC" }),
    },
    {
      name: "analytics: 30 days of insights",
      ask: (pool) => describeInsights(pool, { ...lastDays(30), timeZone: "UTC" }),
    },
    { name: "channel list: hours of 100 channels", ask: (pool) => hoursOfChannels(pool, hundredChannels) },
    { name: "page of a channel", ask: (pool) => describeUsageOf(pool, { channel: sample.channel }, zone) },
    { name: "page of a user", ask: (pool) => describeUsageOf(pool, { user: sample.user }, zone) },
    { name: "page of a user: cache", ask: (pool) => describeCacheEffect(pool, { userId: sample.user }) },
    { name: "page of a model, all models of 24 hours", ask: (pool) => healthByModel(pool) },
    { name: "status page, 30 days", ask: (pool) => daysByModel(pool) },
    { name: "dashboard: last minute", ask: (pool) => lastMinute(pool, sample.user) },
    { name: "analytics: now", ask: (pool) => describeSite(pool) },
    period(7, "model"),
    period(30, "model"),
    period(30, "model_type"),
    period(30, "channel"),
    period(30, "group"),
    period(30, "user"),
    period(30, "model", sample.user),
    {
      name: "statements: own",
      ask: (pool) => listStatements(pool, sample.user, { page: 1, size: 12, order: "" }),
    },
    { name: "statements: own month", ask: (pool) => statementLines(pool, sample.user, month.slice(0, 7)) },
    { name: "statements: months", ask: (pool) => closedMonths(pool) },
    {
      name: "statements: month of all users",
      ask: (pool) =>
        statementUsers(pool, { date: month.slice(0, 7), keyword: "", page: 1, size: 20, order: "" }),
    },
  ];
}
