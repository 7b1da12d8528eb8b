/** The figures of each screen of the console, from what it requests. The names are those of docs/figures.md. */
import type { Period } from "@gateway/shared/usage/analytics";
import type { HourlyAttempts } from "@gateway/shared/usage/channel-health";
import type { Dashboard } from "@gateway/shared/usage/dashboard";
import {
  averageDurationOf,
  averageFirstByteOf,
  callsOf,
  errorRateOf,
  shareOf,
  tokensOf,
} from "@gateway/shared/usage/figures";
import type { Failures, LatencySample } from "@gateway/shared/usage/overview";
import type { Screens } from "./console-screens.ts";

const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);
const named = <Row extends { name: string }>(rows: readonly Row[], name: string) =>
  rows.find((row) => row.name === name);
const ofMonth = <Row extends { date: string }>(rows: readonly Row[], month: string) =>
  rows.filter(({ date }) => date.startsWith(month));
const names = ["good", "missing"] as const;
const both = <Value>(of: (name: "good" | "missing") => Value) => names.map(of);
const percentiles = (sample: LatencySample) => [sample.p50, sample.p95];
const firstPercentiles = (sample: LatencySample) => [sample.first_p50, sample.first_p95];
const reasonsOf = ({ reasons }: Failures) =>
  Object.fromEntries(reasons.map(({ code, status, count }) => [`${code} ${status}`, count]));

/** Attempts of a channel, and how many of them failed. */
function attemptsOf(hours: HourlyAttempts | undefined): number[] {
  if (hours === undefined) return [];
  return [sum(hours.requests) + sum(hours.rescued), sum(hours.failed) + sum(hours.rescued)];
}

type Figures = Record<string, Record<string, unknown>>;

/** Returns the values by figure, then by screen. */
export function figuresOf(screens: Screens): Figures {
  return {
    ...figuresOfCalls(screens),
    ...figuresOfMoney(screens),
    ...figuresOfTimes(screens),
    ...figuresOfOneObject(screens),
    ...figuresOfNow(screens),
  };
}

function figuresOfCalls(screens: Screens): Figures {
  const { overview, analytics, insights, log, logOf, channel, user, usage, userDetail } = screens;
  const { traffic, channels: health } = overview;
  const { totals } = analytics;
  const ownSum = (of: (row: Dashboard["usage"][number]) => number) => sum(screens.own.usage.map(of));
  const row = (name: string) => named(health?.rows ?? [], name);
  const hoursInList = (name: "good" | "missing") =>
    screens.channelHours.channels.find(({ id }) => id === screens.objects.channels[name]);
  return {
    Requests: {
      Dashboard: traffic?.requests.now,
      Analytics: callsOf(totals),
      Log: log.requests,
      // The call of an unknown model and the searches without a model belong to no channel.
      Channel: sum(both((name) => sum(channel[name].requests))) + 2,
      User: sum(user.requests),
      Own: ownSum(callsOf),
      Usage: callsOf(usage.totals),
    },
    Successful: {
      Analytics: totals.request_count,
      Log: log.count,
      User: userDetail.request_count,
      Own: screens.self.request_count,
      Usage: usage.totals.request_count,
      Lists: screens.userRow?.request_count,
      Statement: sum(screens.statement.map((line) => line.request_count)),
    },
    Failed: {
      Dashboard: traffic?.failed.now,
      Analytics: totals.failed_count,
      Log: log.failed,
      Channel: sum(both((name) => sum(channel[name].failed))) + 1,
      User: sum(user.failed),
      Own: ownSum((each) => each.failed_count),
      Usage: usage.totals.failed_count,
    },
    "Failed by reason": {
      Dashboard: traffic && reasonsOf(traffic.failures),
      User: reasonsOf(user.failures),
      Own: reasonsOf(screens.own.failures),
      Token: reasonsOf(screens.token.failures),
    },
    "Error rate": {
      Dashboard: traffic && shareOf(traffic.failed.now, traffic.requests.now),
      Analytics: errorRateOf(totals),
      Usage: errorRateOf(usage.totals),
    },
    "Requests by channel": {
      Dashboard: both((name) => sum(row(name)?.requests ?? [])),
      Analytics: both((name) => named(insights.channels, name)?.requests),
      Log: both((name) => logOf[name].requests),
      Channel: both((name) => sum(channel[name].requests)),
    },
    "Failed by channel": {
      Dashboard: both((name) => sum(row(name)?.failed ?? [])),
      Analytics: both((name) => named(insights.channels, name)?.failed),
      Log: both((name) => logOf[name].failed),
      Channel: both((name) => sum(channel[name].failed)),
    },
    "Success by channel": {
      Dashboard: both((name) => attemptsOf(row(name))),
      Channel: both((name) => attemptsOf(channel[name])),
      Lists: both((name) => attemptsOf(hoursInList(name))),
    },
    Tokens: {
      Dashboard: traffic?.tokens.now,
      Analytics: tokensOf(totals),
      Log: tokensOf(log),
      User: sum(user.days.map((day) => day.tokens)),
      Own: ownSum(tokensOf),
      Usage: tokensOf(usage.totals),
    },
    "Cached tokens": {
      Analytics: totals.cached_tokens,
      Usage: usage.totals.cached_tokens,
      // The search has no tokens, and every other call belongs to the session.
      Session: screens.session.totals.cached,
    },
    "Web searches": { Analytics: analytics.searches.count, Usage: usage.searches.count },
  };
}

function figuresOfMoney(screens: Screens): Figures {
  const { overview, analytics, insights, log, logOf, channel, user, own, usage, objects } = screens;
  const { traffic, channels: health } = overview;
  const usedOfBudget = (period: string) =>
    screens.tokenBudget.uses.find((use) => use.period === period)?.used;
  const { closed, statement } = screens;
  const costOfSearch = (screens.search?.quota ?? 0) / objects.groupRatio;
  return {
    Charged: {
      Dashboard: traffic?.charged.now,
      Analytics: analytics.totals.quota,
      Log: log.quota,
      User: sum(user.charged),
      Own: sum(own.usage.map((row) => row.quota)),
      Usage: usage.totals.quota,
      Statement: sum(statement.map((line) => line.quota)),
    },
    "Charged in total": {
      Analytics: screens.site.user_statistics.total_used_quota,
      Log: log.quota,
      User: screens.userDetail.used_quota,
      Own: screens.self.used_quota,
      Lists: screens.userRow?.used_quota,
    },
    "Charged in a closed month": {
      Analytics: ofMonth(closed.ofSite, objects.closedMonth)[0]?.quota,
      Lists: ofMonth(closed.months, objects.closedMonth)[0]?.quota,
      Statement: sum(closed.lines.map((line) => line.quota)),
    },
    "Charged by account": {
      Dashboard: traffic?.users[0]?.now,
      Analytics: insights.users[0]?.quota,
      User: sum(user.charged),
    },
    "Charged by channel": {
      Dashboard: both((name) => named(health?.rows ?? [], name)?.charged),
      Analytics: both((name) => named(insights.channels, name)?.quota),
      Log: both((name) => logOf[name].quota),
      Channel: both((name) => sum(channel[name].charged)),
      Lists: both((name) => named(screens.channelList, name)?.used_quota),
    },
    "Charged today by API key": {
      Log: screens.logSince.day,
      Token: usedOfBudget("day"),
      Lists: screens.tokenRow?.day_quota,
    },
    "Charged this month by API key": {
      Log: screens.logSince.month,
      Own: screens.ownBudget.month.used,
      Token: usedOfBudget("month"),
      Lists: screens.tokenRow?.month_quota,
    },
    "Cost of searches": { Analytics: analytics.searches.quota, Usage: usage.searches.quota },
    "Provider cost": {
      Dashboard: traffic?.provider_cost.now,
      // The searches without a model belong to no channel.
      Analytics: Math.round(sum(insights.channels.map((row) => row.cost)) + costOfSearch),
    },
  };
}

function figuresOfTimes({
  overview,
  analytics,
  insights,
  channel,
  user,
  own,
  usage,
  token,
}: Screens): Figures {
  const { traffic, channels: health } = overview;
  const ownTimes = {
    request_count: sum(own.usage.map((row) => row.request_count)),
    request_time: sum(own.usage.map((row) => row.request_time)),
  };
  const timesOf = (row: { p50: number | null; p95: number | null } | undefined) => row && [row.p50, row.p95];
  return {
    "Average duration": {
      Analytics: averageDurationOf(analytics.totals),
      Own: averageDurationOf(ownTimes),
      Usage: averageDurationOf(usage.totals),
    },
    "Average first token": {
      Analytics: averageFirstByteOf(analytics.totals),
      Usage: averageFirstByteOf(usage.totals),
    },
    "Median duration": {
      Dashboard: traffic && percentiles(traffic.latency.now),
      User: percentiles(user.latency),
      Token: percentiles(token.latency),
    },
    "Median first token": {
      Dashboard: traffic && firstPercentiles(traffic.latency.now),
      User: firstPercentiles(user.latency),
      Token: firstPercentiles(token.latency),
    },
    "Median duration by channel": {
      Dashboard: both((name) => timesOf(named(health?.rows ?? [], name))),
      Analytics: both((name) => timesOf(named(insights.channels, name))),
      Channel: both((name) => percentiles(channel[name].latency)),
    },
  };
}

/** Of a model, an API key and a session. */
function figuresOfOneObject(screens: Screens): Figures {
  const { overview, models, user, own, usage, logOfModel, logOfToken, token, usageOfKeys } = screens;
  const { good } = screens.objects.models;
  const ofModel = overview.traffic?.models.find(({ name }) => name === good);
  const sumOf = (rows: Period["channel_statistics"], name: string) => {
    const found = rows.filter((row) => row.Channel === name);
    return {
      requests: sum(found.map((row) => row.RequestCount + row.FailedCount)),
      failed: sum(found.map((row) => row.FailedCount)),
      tokens: sum(found.map((row) => row.PromptTokens + row.CompletionTokens)),
      quota: sum(found.map((row) => row.Quota)),
    };
  };
  const inAnalytics = sumOf(models.channel_statistics, good);
  const inUsage = sumOf(usage.channel_statistics, good);
  const ofKey = sumOf(usageOfKeys.channel_statistics, screens.objects.token.name);
  const ownRows = own.usage.filter((row) => row.model === good);
  const { logOfSession, sessionRow, session } = screens;
  return {
    "Requests by model": {
      Dashboard: ofModel?.requests,
      Analytics: inAnalytics.requests,
      Log: logOfModel.requests,
      User: named(user.models, good)?.requests,
      Own: sum(ownRows.map(callsOf)),
      Usage: inUsage.requests,
      Token: named(token.models, good)?.requests,
    },
    "Charged by model": {
      Dashboard: ofModel?.now,
      Analytics: inAnalytics.quota,
      Log: logOfModel.quota,
      User: named(user.models, good)?.charged,
      Own: sum(ownRows.map((row) => row.quota)),
      Usage: inUsage.quota,
      Token: named(token.models, good)?.charged,
      Statement: sum(screens.statement.filter((line) => line.model_name === good).map((line) => line.quota)),
    },
    "Requests by API key": {
      Log: logOfToken.requests,
      Usage: ofKey.requests,
      Token: sum(token.requests),
    },
    "Failed by API key": {
      Log: logOfToken.failed,
      Usage: ofKey.failed,
      Token: sum(token.failed),
    },
    "Tokens by API key": {
      Log: tokensOf(logOfToken),
      Usage: ofKey.tokens,
      Token: sum(token.days.map((day) => day.tokens)),
    },
    "Charged by API key": {
      Log: logOfToken.quota,
      Usage: ofKey.quota,
      Token: sum(token.charged),
      Lists: screens.tokenRow?.used_quota,
    },
    "Requests of a session": {
      Log: logOfSession.requests,
      Lists: sessionRow?.calls,
      Session: session.totals.calls,
    },
    "Failed in a session": {
      Log: logOfSession.failed,
      Lists: sessionRow?.failed,
      Session: session.totals.failed,
    },
    "Tokens of a session": {
      Log: tokensOf(logOfSession),
      Lists: sessionRow && sessionRow.input + sessionRow.output,
      Session: session.totals.input + session.totals.output,
    },
    "Charged in a session": {
      Log: logOfSession.quota,
      Lists: sessionRow?.quota,
      Session: session.totals.quota,
    },
  };
}

/** What holds at the moment, without a period. */
function figuresOfNow(screens: Screens): Figures {
  const { overview, site, self, userDetail, userRow, health, status, objects } = screens;
  const statusOf = (name: "good" | "missing") =>
    status.models.find(({ model }) => model === objects.models[name]);
  return {
    Balance: {
      Analytics: site.user_statistics.total_quota,
      User: userDetail.quota,
      Own: self.quota,
      Lists: userRow?.quota,
    },
    Accounts: { Analytics: site.user_statistics.total_user, Lists: screens.users.total_count },
    "Enabled channels": {
      Dashboard: overview.channels?.enabled,
      Analytics: site.channel_statistics.find((row) => row.status === 1)?.total_channels,
      Lists: screens.enabledChannels,
    },
    "Requests of the last minute": {
      Dashboard: overview.traffic?.rate.rpm,
      Analytics: site.rate.rpm,
      Own: screens.own.rate.rpm,
    },
    "Availability by model": {
      Models: both((name) => health.models[objects.models[name]]?.availability),
      Status: both((name) => statusOf(name)?.availability),
    },
  };
}
