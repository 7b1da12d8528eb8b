/** A period compared with the preceding one: rankings, channels with their margin, and the paths of calls. */
import type { UsageSum } from "@gateway/shared/usage/analytics";
import { callsOf, tokensOf } from "@gateway/shared/usage/figures";
import { FLOW_DAYS } from "@gateway/shared/usage/flow-days";
import type { Amounts, Insights, RankedAmounts } from "@gateway/shared/usage/insights";
import { hoursOfPeriod } from "#domain/usage/hours-of-period.ts";
import type { Span } from "#domain/usage/pieces.ts";
import { type PreviousPeriod, previousPeriod, sumOfPrevious } from "#domain/usage/previous-period.ts";
import { closedUntil, rankUsers, usageByDayAndKey } from "#domain/usage/usage.ts";
import { currentTime, unixTime } from "#platform/clock.ts";
import type { Pool } from "#platform/database/db.ts";
import { flowsOf } from "./flows.ts";
import { sampleLatency } from "./latency.ts";

const mostRanked = 10;
const mostChannels = 50;
const hourMs = 3_600_000;

/** @param now end of a period that has not ended */
export async function describeInsights(
  pool: Pool,
  period: { from: Date; to: Date; timeZone: string },
  now = currentTime(),
): Promise<Insights> {
  const span = hoursOfPeriod(period);
  const before = previousPeriod(span, now);
  const closed = await closedUntil(pool);
  const flowSpan = {
    from: latest(span.from, new Date(span.to.getTime() - FLOW_DAYS * 24 * hourMs)),
    to: span.to,
  };
  const { ids } = await rankUsers(pool, { span, closed, limit: mostRanked });
  const [models, users, channels, latency, flows] = await Promise.all([
    rank(pool, { by: "model", span, before, closed }),
    rank(pool, { by: "user", span, before, closed, only: ids }),
    usageByDayAndKey(pool, { by: "channel", span, closed, days: [{ date: "", start: span.from }] }),
    sampleLatency(pool, period.from, period.to),
    flowsOf(pool, flowSpan),
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
    users: [...ids.map(Number), ...flows.paths.map((path) => path.user_id)],
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

interface Ranking {
  by: "model" | "user";
  span: Span;
  before: PreviousPeriod;
  closed: Date;
  only?: readonly string[];
}

type RankedKey = Omit<RankedAmounts, "id" | "name"> & { key: string };

/** Returns the keys with the highest charges, then those with the most requests. */
async function rank(pool: Pool, { by, span, before, closed, only }: Ranking): Promise<RankedKey[]> {
  const days = [{ date: "", start: span.from }];
  const filter = only && { only };
  const [rows, earlier] = await Promise.all([
    usageByDayAndKey(pool, { by, span, closed, days, ...filter }),
    usageByDayAndKey(pool, { by, span: before.span, closed, days: before.days, ...filter }),
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
