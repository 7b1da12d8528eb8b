/** A period compared with the preceding one: rankings, channels with their margin, and the paths of calls. */
import type { UsageSum } from "@gateway/shared/usage/analytics";
import { callsOf, tokensOf } from "@gateway/shared/usage/figures";
import { FLOW_DAYS } from "@gateway/shared/usage/flow-days";
import type { Amounts, Insights, RankedAmounts } from "@gateway/shared/usage/insights";
import { hoursOfPeriod } from "#domain/usage/hours-of-period.ts";
import type { Span } from "#domain/usage/pieces.ts";
import { type PreviousPeriod, previousPeriod, sumOfPrevious } from "#domain/usage/previous-period.ts";
import { closedUntil, type DayUsage, rankUsers, usageByDayAndKey, usageOfUser } from "#domain/usage/usage.ts";
import { currentTime, unixTime } from "#platform/clock.ts";
import type { Pool } from "#platform/database/db.ts";
import type { LocalDay } from "#platform/local-days.ts";
import { flowsOf } from "./flows.ts";
import { sampleLatency } from "./latency.ts";

const mostRanked = 10;
const mostChannels = 50;
const hourMs = 3_600_000;

export interface InsightsInput {
  from: Date;
  to: Date;
  timeZone: string;
  /** Only calls of this user, except in the ranking of users; undefined means all users. */
  userId?: number | undefined;
}

/** @param now end of a period that has not ended */
export async function describeInsights(
  pool: Pool,
  period: InsightsInput,
  now = currentTime(),
): Promise<Insights> {
  const { userId } = period;
  const span = hoursOfPeriod(period);
  const before = previousPeriod(span, now);
  const closed = await closedUntil(pool);
  const flowSpan = {
    from: latest(span.from, new Date(span.to.getTime() - FLOW_DAYS * 24 * hourMs)),
    to: span.to,
  };
  const { ids } = await rankUsers(pool, { span, closed, limit: mostRanked });
  const [models, users, channels, latency, flows] = await Promise.all([
    rank({ span, before, read: (days) => usageBy(pool, { by: "model", closed, userId, ...days }) }),
    rank({
      span,
      before,
      read: (days) => usageByDayAndKey(pool, { by: "user", closed, only: ids, ...days }),
    }),
    usageBy(pool, { by: "channel", span, closed, userId, days: [{ date: "", start: span.from }] }),
    sampleLatency(pool, period.from, period.to, userId),
    flowsOf(pool, flowSpan, userId),
  ]);
  const busiest = channels
    .filter(({ key }) => key !== "0")
    .sort((one, other) => callsOf(other) - callsOf(one))
    .slice(0, mostChannels);
  const channelIds = [
    ...flows.paths.map((path) => path.channel_id),
    ...busiest.map(({ key }) => Number(key)),
  ];
  const names = await namesOf(pool, {
    users: [...ids.map(Number), ...flows.paths.map((path) => path.user_id), userId ?? 0],
    tokens: flows.paths.map((path) => path.token_id),
    channels: channelIds,
  });
  return {
    models: models.map((row) => ({ ...row, id: 0, name: row.key })),
    users: users.map((row) => ({ ...row, id: Number(row.key), name: nameIn(names.users, row.key) })),
    channels: busiest.map(({ key, ...sum }) => {
      const sample = latency.byChannel.get(Number(key));
      const money = flows.money.get(Number(key)) ?? { charged: 0, cost: 0, without_cost: 0 };
      return {
        id: Number(key),
        name: nameIn(names.channels, key),
        ...amountsOf(sum),
        p50: sample?.p50 ?? null,
        p95: sample?.p95 ?? null,
        ...money,
      };
    }),
    flows: {
      since: unixTime(flowSpan.from),
      paths: flows.paths,
      rest: flows.rest,
      users: names.users,
      tokens: names.tokens,
      channels: names.channels,
    },
  };
}

const latest = (one: Date, other: Date) => (one > other ? one : other);
const nameIn = (names: Record<string, string>, key: string) => names[key] ?? `#${key}`;

function amountsOf(sum: UsageSum): Amounts {
  return {
    quota: sum.quota,
    requests: callsOf(sum),
    tokens: tokensOf(sum),
    failed: sum.failed_count,
  };
}

type Days = { span: Span; days: readonly LocalDay[] };

/** Returns sums by day and key, of all users or of one. */
function usageBy(
  pool: Pool,
  { userId, ...requested }: Days & { by: "model" | "channel"; closed: Date; userId: number | undefined },
): Promise<DayUsage[]> {
  return userId === undefined
    ? usageByDayAndKey(pool, requested)
    : usageOfUser(pool, { ...requested, userId });
}

interface Ranking {
  span: Span;
  before: PreviousPeriod;
  read(days: Days): Promise<DayUsage[]>;
}

type RankedKey = Omit<RankedAmounts, "id" | "name"> & { key: string };

/** Returns the keys with the highest charges, then those with the most requests. */
async function rank({ span, before, read }: Ranking): Promise<RankedKey[]> {
  const [rows, earlier] = await Promise.all([
    read({ span, days: [{ date: "", start: span.from }] }),
    read(before),
  ]);
  const rowsBefore = Map.groupBy(earlier, (row) => row.key);
  return rows
    .map((row) => ({
      key: row.key,
      ...amountsOf(row),
      before: amountsOf(sumOfPrevious(rowsBefore.get(row.key) ?? [], before)),
    }))
    .sort((one, other) => other.quota - one.quota || other.requests - one.requests)
    .slice(0, mostRanked);
}

type NamedObjects = Record<"users" | "tokens" | "channels", number[]>;

async function namesOf(
  pool: Pool,
  wanted: NamedObjects,
): Promise<Record<keyof NamedObjects, Record<string, string>>> {
  const read = async (sql: string, ids: number[]) => {
    const { rows } = await pool.query<{ id: number; name: string }>(sql, [[...new Set(ids)]]);
    return Object.fromEntries(rows.map(({ id, name }) => [String(id), name]));
  };
  const [users, tokens, channels] = await Promise.all([
    read("SELECT id, username AS name FROM users WHERE id = ANY($1::int[])", wanted.users),
    read("SELECT id, name FROM tokens WHERE id = ANY($1::int[])", wanted.tokens),
    read("SELECT id, name FROM channels WHERE id = ANY($1::int[])", wanted.channels),
  ]);
  return { users, tokens, channels };
}
