/** Usage of a period for the analytics screen, of the site or one user. It reads roll-ups, never the log. */
import type {
  GroupType,
  OwnGroupType,
  OwnPeriod,
  Period,
  PeriodUsage as NamedUsage,
  SearchSum,
  UsageSum,
} from "@gateway/shared/usage/analytics";
import { callsOf } from "@gateway/shared/usage/figures";
import { listOwners } from "#domain/catalog/owners.ts";
import { loadTable } from "#domain/pricing/prices.ts";
import { findPrice } from "#domain/pricing/pricing.ts";
import { currentTime } from "#platform/clock.ts";
import type { Pool } from "#platform/database/db.ts";
import { type LocalDay, localDays } from "#platform/local-days.ts";
import type { PrismaClient } from "#platform/prisma/client.ts";
import { counters, type Dimension, sumOfRows } from "./counters.ts";
import { hoursOfPeriod } from "./hours-of-period.ts";
import { moneyOfPeriod } from "./money.ts";
import type { Span } from "./pieces.ts";
import { previousPeriod, sumOfPrevious } from "./previous-period.ts";
import { type SearchesOfDay, searchesByDayAndKey } from "./searches.ts";
import { type TopUsers, topUsers } from "./top-users.ts";
import { closedUntil, type DayUsage, usageByDayAndKey, type UserDimension, usageOfUser } from "./usage.ts";

export interface PeriodInput {
  from: Date;
  to: Date;
  groupType: GroupType;
  /** Undefined means all users. */
  userId: number | undefined;
  timeZone: string;
}

/** Maximum length of the list of users. */
const TOP_USERS = 20;
/** Number of users with a series of their own. A chart would combine more of them into "others". */
const CHARTED_USERS = 8;

type Handles = { db: PrismaClient; pool: Pool };

/** @param now end of a period that has not ended */
export async function describePeriod(
  { db, pool }: Handles,
  input: PeriodInput,
  now = currentTime(),
): Promise<Period> {
  const { userId } = input;
  const span = hoursOfPeriod(input);
  const days = localDays(input.from, input.to, input.timeZone);
  const requested: PeriodRequest = { ...input, span, days, closed: await closedUntil(pool) };
  const who = userId === undefined ? {} : { userId };
  const [{ before, beforeByDay }, { rows, active, top }, searches, money] = await Promise.all([
    usageBefore(pool, requested, now),
    usageFor(pool, requested),
    searchesByDayAndKey(pool, { by: dimensionOf(input.groupType), userId, span, days }),
    moneyOfPeriod(pool, { span: { from: input.from, to: input.to }, days, ...who }),
  ]);
  const nameOf = await namesFor({ db, pool }, input.groupType, rows);
  const totals = sumOfRows(rows);
  return {
    dates: days.map((day) => day.date),
    channel_statistics: presentUsage({ rows, searches }, nameOf, days),
    totals,
    searches: sumOfSearches(searches),
    before,
    before_by_day: beforeByDay,
    active_users: userId === undefined ? active : Math.min(1, callsOf(totals)),
    top_users: top,
    ...money,
  };
}

export interface OwnPeriodInput extends Pick<PeriodInput, "from" | "to" | "timeZone"> {
  groupType: OwnGroupType;
  userId: number;
}

/** Returns a user's own usage of a period. @param now end of a period that has not ended */
export async function describeOwnPeriod(
  { db, pool }: Handles,
  input: OwnPeriodInput,
  now = currentTime(),
): Promise<OwnPeriod> {
  const { groupType, userId } = input;
  const span = hoursOfPeriod(input);
  const days = localDays(input.from, input.to, input.timeZone);
  const byToken = groupType === "token" || groupType === "tag";
  const by: UserDimension = byToken ? "token" : groupType === "model_type" ? "model" : groupType;
  const [{ before, beforeByDay }, rows, searches] = await Promise.all([
    usageBefore(pool, { span, days, userId, closed: span.from }, now),
    usageOfUser(pool, { by, userId, span, days }),
    searchesByDayAndKey(pool, { by, userId, span, days }),
  ]);
  const nameOf = byToken
    ? await namesOfTokens(db, userId, groupType)
    : await namesFor({ db, pool }, groupType, rows);
  return {
    dates: days.map((day) => day.date),
    channel_statistics: presentUsage({ rows, searches }, nameOf, days),
    totals: sumOfRows(rows),
    searches: sumOfSearches(searches),
    before,
    before_by_day: beforeByDay,
  };
}

interface FoundUsage {
  rows: readonly DayUsage[];
  searches: readonly SearchesOfDay[];
}

function presentUsage(
  { rows, searches }: FoundUsage,
  nameOf: NameOf,
  days: readonly LocalDay[],
): NamedUsage[] {
  // Users without a series of their own are together under the empty key.
  const keys = new Set(rows.map((row) => row.key));
  const found = new Map<string, SearchSum>();
  for (const { day, key, count, quota } of searches) {
    const at = `${day} ${nameOf(keys.has(key) ? key : "")}`;
    const sum = found.get(at) ?? { count: 0, quota: 0 };
    found.set(at, { count: sum.count + count, quota: sum.quota + quota });
  }
  return sumByName(rows, nameOf).map((row) => ({
    Date: days[row.day]?.date ?? "",
    Channel: row.key,
    RequestCount: row.request_count,
    Quota: row.quota,
    PromptTokens: row.prompt_tokens,
    CompletionTokens: row.completion_tokens,
    RequestTime: row.request_time,
    FailedCount: row.failed_count,
    CachedTokens: row.cached_tokens,
    FirstByteTime: row.first_byte_time,
    SearchCount: found.get(`${row.day} ${row.key}`)?.count ?? 0,
    SearchQuota: found.get(`${row.day} ${row.key}`)?.quota ?? 0,
  }));
}

function sumOfSearches(searches: readonly SearchesOfDay[]): SearchSum {
  const sum = { count: 0, quota: 0 };
  for (const { count, quota } of searches) {
    sum.count += count;
    sum.quota += quota;
  }
  return sum;
}

/** Returns the preceding period: its sum up to the same time, and the sums of its whole days. */
async function usageBefore(
  pool: Pool,
  { span, days, closed, userId }: Omit<PeriodRequest, "groupType">,
  now: Date,
): Promise<{ before: UsageSum; beforeByDay: UsageSum[] }> {
  const previous = previousPeriod(span, now);
  const length = span.to.getTime() - span.from.getTime();
  const daysBefore = days.map(({ start }) => ({ date: "", start: new Date(start.getTime() - length) }));
  const read = (part: Span, parts: readonly LocalDay[]) =>
    userId === undefined
      ? usageByDayAndKey(pool, { by: "site", span: part, closed, days: parts })
      : usageOfUser(pool, { by: "site", span: part, days: parts, userId });
  const [cut, whole] = await Promise.all([
    read(previous.span, previous.days),
    read({ from: previous.span.from, to: span.from }, daysBefore),
  ]);
  return {
    before: sumOfPrevious(cut, previous),
    beforeByDay: days.map((_, day) => sumOfRows(whole.filter((row) => row.day === day))),
  };
}

function dimensionOf(groupType: GroupType): Dimension {
  return groupType === "model_type" ? "model" : groupType;
}

type PeriodRequest = Pick<PeriodInput, "groupType" | "userId"> & {
  span: Span;
  days: readonly LocalDay[];
  closed: Date;
};

interface PeriodUsage extends Pick<TopUsers, "active" | "top"> {
  /** Together they contain all usage of the period. */
  rows: DayUsage[];
}

async function usageFor(
  pool: Pool,
  { groupType, userId, ...requested }: PeriodRequest,
): Promise<PeriodUsage> {
  const by = dimensionOf(groupType);
  if (userId !== undefined)
    return { rows: await usageOfUser(pool, { by, userId, ...requested }), active: 0, top: [] };
  const [all, users] = await Promise.all([
    usageByDayAndKey(pool, { by: by === "user" ? "site" : by, ...requested }),
    topUsers(pool, { ...requested, limit: TOP_USERS, charted: by === "user" ? CHARTED_USERS : 0 }),
  ]);
  const rows = by === "user" ? [...users.charted, ...remainder(all, users.charted)] : all;
  return { rows, active: users.active, top: users.top };
}

/** Returns the usage of all other users by day, with an empty key. */
function remainder(all: readonly DayUsage[], own: readonly DayUsage[]): DayUsage[] {
  return all.flatMap((row) => {
    const rest = { ...row, key: "" };
    for (const part of own) {
      if (part.day === row.day) for (const counter of counters) rest[counter] -= part[counter];
    }
    return counters.some((counter) => rest[counter] > 0) ? [rest] : [];
  });
}

type NameOf = (key: string) => string;

async function namesFor({ db }: Handles, groupType: GroupType, rows: readonly DayUsage[]): Promise<NameOf> {
  const ids = () => [...new Set(rows.map((row) => row.key))].filter((key) => key !== "").map(Number);
  switch (groupType) {
    case "model":
    case "group":
      return (key) => key;
    case "user": {
      const users = await db.user.findMany({
        where: { id: { in: ids() } },
        select: { id: true, username: true },
      });
      const names = new Map(users.map((user) => [String(user.id), user.username]));
      return (key) => (key === "" ? "" : (names.get(key) ?? `#${key}`));
    }
    case "channel": {
      const channels = await db.channel.findMany({
        where: { id: { in: ids() } },
        select: { id: true, name: true },
      });
      return namesWithIds(channels);
    }
    case "model_type": {
      // Uses the price lookup of calls: the exact name, or else the longest wildcard.
      const [table, owners] = await Promise.all([loadTable(db), listOwners(db)]);
      const models = await db.price.findMany({ select: { model: true, channel_type: true } });
      const ownerOf = new Map(models.map((price) => [price.model, price.channel_type]));
      const names = new Map(owners.map((owner) => [owner.id, owner.name]));
      return (model) => names.get(ownerOf.get(findPrice(table, model)?.model ?? "") ?? 0) ?? "";
    }
  }
}

/** Deleted objects keep their name; objects with the same name get their id appended. */
function namesWithIds(objects: readonly { id: number; name: string }[]): NameOf {
  const names = new Map(objects.map(({ id, name }) => [String(id), name]));
  const seen = new Map<string, number>();
  for (const { name } of objects) seen.set(name, (seen.get(name) ?? 0) + 1);
  return (key) => {
    const name = names.get(key);
    if (name === undefined) return key === "0" ? "" : `#${key}`;
    return name === "" || (seen.get(name) ?? 0) > 1 ? `${name} #${key}`.trim() : name;
  };
}

/** Names of a user's API keys, or the billing tags that they have now; "" without a tag. */
async function namesOfTokens(db: PrismaClient, userId: number, by: "token" | "tag"): Promise<NameOf> {
  const tokens = await db.token.findMany({
    where: { user_id: userId },
    select: { id: true, name: true, billing_tag: true },
  });
  if (by === "token") return namesWithIds(tokens);
  const tags = new Map(tokens.map((token) => [String(token.id), token.billing_tag]));
  return (key) => tags.get(key) ?? "";
}

function sumByName(rows: readonly DayUsage[], nameOf: NameOf): DayUsage[] {
  const sums = new Map<string, DayUsage>();
  for (const row of rows) {
    const name = nameOf(row.key);
    const id = `${row.day} ${name}`;
    const sum = sums.get(id);
    if (sum === undefined) sums.set(id, { ...row, key: name });
    else for (const counter of counters) sum[counter] += row[counter];
  }
  return [...sums.values()];
}
