/** Statistics, the available models and the state of the site in One Hub's format. */
import { MonthInPath } from "@gateway/shared/billing/statement";
import { Nothing } from "@gateway/shared/envelope";
import { AvailableModels } from "@gateway/shared/models/model";
import { queryInt } from "@gateway/shared/paging";
import { TimeZone } from "@gateway/shared/site/formats/time-zone";
import { SiteStatus } from "@gateway/shared/site/status";
import { GroupType, Period, PeriodUsage, UserUsage } from "@gateway/shared/usage/analytics";
import { DashboardQuery } from "@gateway/shared/usage/dashboard";
import { z } from "zod";
import { viewerOf } from "#console/guards.ts";
import { closeMonthByHand } from "#domain/usage/close-months.ts";
import { moneyOfPeriod } from "#domain/usage/money.ts";
import { ownUsage } from "#domain/usage/own-usage.ts";
import { describePeriod } from "#domain/usage/period.ts";
import { localDays, startOfDay } from "#platform/local-days.ts";
import { ignoreNotFound } from "./plugin/refusals.ts";
import { type CompatRoute, handleWith, formatWith } from "./plugin/route.ts";

/** Today and the seven days before. */
const DAYS = 8;

const OlderUsage = z.object({
  Date: z.string(),
  RequestCount: z.int(),
  Quota: z.int(),
  PromptTokens: z.int(),
  CompletionTokens: z.int(),
  RequestTime: z.int(),
  ModelName: z.string(),
});

const dashboard = handleWith(
  { query: DashboardQuery.pick({ time_zone: true }), data: z.array(OlderUsage) },
  async ({ query }, call) => {
    const { id: userId } = viewerOf(call.request);
    const { usage } = await call.services.reads.run(({ pool }) =>
      ownUsage(pool, { userId, timeZone: query.time_zone, days: DAYS }),
    );
    return {
      data: usage.map((row) => ({
        Date: row.date,
        RequestCount: row.request_count,
        Quota: row.quota,
        PromptTokens: row.prompt_tokens,
        CompletionTokens: row.completion_tokens,
        RequestTime: row.request_time,
        ModelName: row.model,
      })),
    };
  },
);

/** A month without usage is a success without a statement. */
const closeMonth = (again: boolean): CompatRoute => ({
  handle: handleWith({ params: MonthInPath, data: Nothing }, async ({ params }, call) => {
    const { db } = call.services;
    const closed = closeMonthByHand(db, viewerOf(call.request), { month: params.month, again });
    if ((await ignoreNotFound(closed)) === undefined)
      call.note("No statement was made: there is no usage in this month.");
    return { data: null };
  }),
});

/** Seconds since 1970. What is no number counts as 0. */
const Seconds = queryInt(z.int().min(0).max(253_402_300_799)).catch(0).default(0);
const PeriodQuery = z.object({
  start_timestamp: Seconds,
  end_timestamp: Seconds,
  group_type: GroupType.catch("channel").default("channel"),
  user_id: queryInt(z.int().min(0).max(2_147_483_647)).catch(0).default(0),
  time_zone: TimeZone,
});

/** Rows are by day, so days before the oldest call cost nothing but a limit keeps the list of days short. */
const LONGEST_SECONDS = 3_660 * 86_400;

const { user_statistics, redemption_statistics, order_statistics } = Period.shape;
const OlderPeriod = z.looseObject({
  user_statistics,
  channel_statistics: z.array(PeriodUsage),
  redemption_statistics,
  order_statistics,
});

/**
 * Calls are counted over whole days, and everything else from one second to the other, both included. The
 * user narrows the calls only. A day without a successful call has no row.
 */
const period = handleWith({ query: PeriodQuery, data: OlderPeriod }, async ({ query }, { services }) => {
  const { end_timestamp: end, user_id, time_zone: timeZone } = query;
  const start = Math.max(query.start_timestamp, end - LONGEST_SECONDS);
  const empty = {
    user_statistics: [],
    channel_statistics: [],
    redemption_statistics: [],
    order_statistics: [],
  };
  if (end < start) return { data: empty };
  const span = { from: new Date(start * 1_000), to: new Date((end + 1) * 1_000) };
  const days = localDays(span.from, span.to, timeZone);
  const [first, last] = [days[0], days.at(-1)];
  if (first === undefined || last === undefined) return { data: empty };
  const userId = user_id === 0 ? undefined : user_id;
  const whole = { from: first.start, to: dayAfter(last.date, timeZone), timeZone, userId };
  const [usage, money] = await services.reads.run((database) =>
    Promise.all([
      describePeriod(database, { ...whole, groupType: query.group_type }),
      moneyOfPeriod(database.pool, { span, days }),
    ]),
  );
  const channel_statistics = usage.channel_statistics
    .filter((row) => row.RequestCount > 0)
    .sort((a, b) => (`${a.Date} ${a.Channel}` < `${b.Date} ${b.Channel}` ? -1 : 1));
  return { data: { ...usage, ...money, channel_statistics } };
});

function dayAfter(date: string, timeZone: string): Date {
  const next = new Date(Date.parse(`${date}T12:00:00Z`) + 86_400_000);
  return startOfDay(next.toISOString().slice(0, 10), timeZone);
}

/** Users without a call have no row. */
const withCalls = formatWith(z.array(UserUsage), z.array(UserUsage), (users) =>
  users.filter((user) => user.request_count > 0),
);
const withoutCalls = /^("([^"]|"")*"|[^",]*),0,/;

/** A file without a byte order mark. Every line ends with a line feed, also the last one. */
function olderCsv(file: string): string {
  const lines = file.replace(/^\uFEFF/, "").split("\r\n");
  return lines
    .filter((line) => line !== "" && !withoutCalls.test(line))
    .map((line) => `${line}\n`)
    .join("");
}

/** Additional fields of One Hub's status. Forbidden words need not be public. */
const besides = {
  SafeKeyWords: z.array(z.string()),
  SafeToolName: z.string(),
  UptimeDomain: z.string(),
  UptimeEnabled: z.boolean(),
  UptimePageName: z.string(),
  UserInvoiceMonth: z.boolean(),
  analytics_code: z.string(),
};
const status = formatWith(SiteStatus, SiteStatus.extend(besides), (site) => ({
  ...site,
  SafeKeyWords: [],
  SafeToolName: "Keyword",
  UptimeDomain: "",
  UptimeEnabled: false,
  UptimePageName: "",
  UserInvoiceMonth: true,
  analytics_code: "",
}));

/** Every model has a price: a model without one cannot be called. */
const PricedModels = z.record(
  z.string(),
  AvailableModels.valueType.extend({ price: AvailableModels.valueType.shape.price.unwrap() }),
);
const priced = formatWith(AvailableModels, PricedModels, (models) =>
  Object.fromEntries(
    Object.entries(models).flatMap(([name, { price, ...model }]) =>
      price === null ? [] : [[name, { ...model, price }]],
    ),
  ),
);

export const statisticsCompat: Record<string, CompatRoute> = {
  "GET /available_model": { answer: priced },
  "GET /user/dashboard": { handle: dashboard },
  "GET /analytics/period": { handle: period },
  "GET /analytics/multi_user_stats": { answer: withCalls },
  "GET /analytics/multi_user_stats/export": { text: olderCsv },
  "POST /option/invoice/gen/:month": closeMonth(false),
  "POST /option/invoice/update/:month": closeMonth(true),
  "GET /status": { answer: status },
};
