/**
 * State of the gateway for operators, from roll-ups and a bounded number of log rows. Nothing here grows with
 * the log. The console removes the parts that a reader may not see.
 */
import { createHash } from "node:crypto";
import type { Settings } from "@gateway/shared/site/settings";
import type { UsageSum } from "@gateway/shared/usage/analytics";
import { callsOf, tokensOf } from "@gateway/shared/usage/figures";
import {
  type Change,
  type PeriodComparison,
  type Overview,
  OVERVIEW_HOURS,
  type Traffic,
} from "@gateway/shared/usage/overview";
import { sumOf } from "#domain/usage/counters.ts";
import { failuresSince } from "#domain/usage/failures.ts";
import { lastMinute } from "#domain/usage/last-minute.ts";
import { closedUntil, type DayUsage, rankChanges, usageByDayAndKey } from "#domain/usage/usage.ts";
import { currentTime, unixTime } from "#platform/clock.ts";
import type { Pool } from "#platform/database/db.ts";
import type { PrismaClient } from "#platform/prisma/client.ts";
import {
  auditDrift,
  disabledChannels,
  emptyBalances,
  failingChannels,
  lowBalances,
  recentNotices,
  unpricedModels,
} from "./attention.ts";
import { channelsHealth } from "./channels-health.ts";
import { compareDays, type TwoDays, readTwoDays } from "./day-periods.ts";
import { rescuedAttempts, sampleLatency } from "./latency.ts";

export interface OverviewDeps {
  db: PrismaClient;
  pool: Pool;
  settings: { current(): Pick<Settings, "QuotaPerUnit" | "PaymentUSDRate"> };
}

/** Maximum number of models or users in the list of changes. */
const MOST_CHANGES = 5;
const dayMs = 86_400_000;

/** An overview with all parts. The console decides later who may read them. */
type Complete = Overview & { traffic: Traffic; channels: NonNullable<Overview["channels"]> };

/** @param now end of the last 24 hours */
export async function describeOverview(deps: OverviewDeps, now = currentTime()): Promise<Complete> {
  const { pool } = deps;
  const days = readTwoDays(now);
  const { span } = days;
  const closed = await closedUntil(pool);
  const hours = days.hours.map((start) => ({ date: "", start }));
  const today = { from: days.since, to: now };
  const [site, groups, channels, latency, before, rescued, failures] = await Promise.all([
    usageByDayAndKey(pool, { by: "site", span, closed, days: hours }),
    usageByDayAndKey(pool, { by: "group", span, closed, days: hours }),
    usageByDayAndKey(pool, { by: "channel", span: today, closed, days: hours.slice(OVERVIEW_HOURS) }),
    sampleLatency(pool, days.since, now),
    sampleLatency(pool, span.from, new Date(now.getTime() - dayMs)),
    rescuedAttempts(pool, days.since, now),
    failuresSince(pool, days.since),
  ]);
  const cost = await providerCost(pool, groups, days);
  const [rate, models, users, health] = await Promise.all([
    lastMinute(pool),
    rankChanges(pool, { by: "model", span, closed, days, limit: MOST_CHANGES }),
    rankChanges(pool, { by: "user", span, closed, days, limit: MOST_CHANGES }),
    channelsHealth(pool, { days, usage: channels, rescued, latency }),
  ]);
  const figures = figuresOf(site, days);
  const share = figures.charged.now > 0 ? cost.compared.now / figures.charged.now : 0;
  const attention = await attentionTo(deps, { health, failures, charges: channels, share });
  const content = {
    since: unixTime(days.since),
    traffic: {
      ...figures,
      provider_cost: cost.compared,
      free_requests: cost.free,
      latency: { now: latency.all, before: before.all },
      rate,
      failures,
      models: models.map(({ key, ...change }): Change => ({ name: key, ...change })),
      users: await withNames(pool, users),
    },
    channels: health,
    attention,
  };
  const version = createHash("sha256").update(JSON.stringify(content)).digest("base64url").slice(0, 22);
  return { version, computed_at: unixTime(now), ...content };
}

/** Returns the sums of 48 hours, oldest first. */
function byHour(rows: readonly DayUsage[]): UsageSum[] {
  const sums = Array.from({ length: 2 * OVERVIEW_HOURS }, () => sumOf(undefined));
  for (const { day, key: _key, ...sum } of rows) if (sums[day] !== undefined) sums[day] = sum;
  return sums;
}

type Figures = Pick<Traffic, "requests" | "failed" | "tokens" | "charged" | "hourly">;

function figuresOf(rows: readonly DayUsage[], days: TwoDays): Figures {
  const hours = byHour(rows);
  const series = (of: (sum: UsageSum) => number) => hours.map(of);
  const requests = series(callsOf);
  const failed = series((sum) => sum.failed_count);
  const charged = series((sum) => sum.quota);
  const tokens = series(tokensOf);
  return {
    requests: compareDays(requests, days),
    failed: compareDays(failed, days),
    tokens: compareDays(tokens, days),
    charged: compareDays(charged, days),
    hourly: {
      requests: requests.slice(OVERVIEW_HOURS),
      failed: failed.slice(OVERVIEW_HOURS),
      charged: charged.slice(OVERVIEW_HOURS),
      requests_before: requests.slice(0, OVERVIEW_HOURS),
    },
  };
}

/** Computes the cost at list prices: the charges of each group divided by its current ratio. */
async function providerCost(
  pool: Pool,
  groups: readonly DayUsage[],
  days: TwoDays,
): Promise<{ compared: PeriodComparison; free: number }> {
  const { rows } = await pool.query<{ symbol: string; ratio: number }>(
    "SELECT symbol, ratio::float8 AS ratio FROM user_groups",
  );
  const ratios = new Map(rows.map((row) => [row.symbol, row.ratio]));
  const costs = days.hours.map(() => 0);
  let free = 0;
  for (const { day, key, quota, request_count } of groups) {
    // A deleted group counts with a ratio of 1.
    const ratio = ratios.get(key) ?? 1;
    if (ratio > 0) costs[day] = (costs[day] ?? 0) + quota / ratio;
    else if (day >= OVERVIEW_HOURS) free += request_count;
  }
  const { now, before } = compareDays(costs, days);
  return { compared: { now: Math.round(now), before }, free };
}

interface AttentionInput {
  health: NonNullable<Overview["channels"]>;
  failures: Traffic["failures"];
  charges: readonly DayUsage[];
  /** Provider cost per charged point. */
  share: number;
}

async function attentionTo(
  { db, pool, settings }: OverviewDeps,
  { health, failures, charges, share }: AttentionInput,
): Promise<Overview["attention"]> {
  const { QuotaPerUnit, PaymentUSDRate } = settings.current();
  const points = new Map<string, number>();
  for (const { key, quota } of charges) points.set(key, (points.get(key) ?? 0) + quota);
  const costOf = (id: number) => ((points.get(String(id)) ?? 0) * share) / QuotaPerUnit;
  const [drift, disabled, balances, unpriced, notices] = await Promise.all([
    auditDrift(pool),
    disabledChannels(pool),
    lowBalances(pool, { costOf, yuanPerUsd: PaymentUSDRate }),
    unpricedModels(pool, db),
    recentNotices(pool),
  ]);
  return [
    ...drift,
    ...failingChannels(health),
    ...disabled,
    ...balances,
    ...notices,
    ...unpriced,
    ...emptyBalances(failures),
  ];
}

async function withNames(
  pool: Pool,
  changes: Awaited<ReturnType<typeof rankChanges>>,
): Promise<Traffic["users"]> {
  const { rows } = await pool.query<{ id: number; username: string }>(
    "SELECT id, username FROM users WHERE id = ANY($1::int[])",
    [changes.map(({ key }) => key)],
  );
  const names = new Map(rows.map((row) => [String(row.id), row.username]));
  return changes.map(({ key, ...change }) => ({
    id: Number(key),
    name: names.get(key) ?? `#${key}`,
    ...change,
  }));
}
