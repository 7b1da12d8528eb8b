import { MonthInPath } from "@gateway/shared/billing/statement";
import { MidjourneyPage, MidjourneyQuery, TaskPage } from "@gateway/shared/channels/task";
import { Nothing } from "@gateway/shared/envelope";
import { SiteStatus } from "@gateway/shared/site/status";
import { DashboardQuery } from "@gateway/shared/usage/dashboard";
import { z } from "zod";
import { viewerOf } from "#console/guards.ts";
import { closeMonthByHand } from "#domain/usage/close-months.ts";
import { ownUsage } from "#domain/usage/own-usage.ts";
import { unlessGone } from "./refusals.ts";
import { type CompatRoute, handles, reads, spells } from "./route.ts";

/** Statistics, tasks and the state of the site in One Hub's format. */

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

const dashboard = handles(
  { query: DashboardQuery.pick({ time_zone: true }), data: z.array(OlderUsage) },
  async ({ query }, call) => {
    const { id: userId } = viewerOf(call.request);
    const { usage } = await ownUsage(call.services.pool, { userId, timeZone: query.time_zone, days: DAYS });
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
  handle: handles({ params: MonthInPath, data: Nothing }, async ({ params }, call) => {
    const { db } = call.services;
    const closed = closeMonthByHand(db, viewerOf(call.request), { month: params.month, again });
    await unlessGone(closed, () => call.note("No statement was made: there is no usage in this month."));
    return { data: null };
  }),
});

/** Every line ends with a line feed, also the last one. */
const olderCsv = (file: string) => `${file.replaceAll("\r\n", "\n").trimEnd()}\n`;

/** Our column names by the names in the query. */
const taskColumns: Readonly<Record<string, string>> = { mj_id: "task_id", code: "status" };
const midjourney: CompatRoute = {
  query: reads(MidjourneyQuery, ({ order, page, size, ...query }) => ({
    ...query,
    page: String(page),
    size: String(size),
    order: order
      .split(",")
      .map((part) => part.replace(/\w+/, (column) => taskColumns[column] ?? column))
      .join(","),
  })),
  answer: spells(MidjourneyPage, MidjourneyPage, (page) => page),
};

const OlderTasks = TaskPage.extend({
  data: z.array(TaskPage.shape.data.element.extend({ start_time: z.int(), finish_time: z.int() })),
});
const tasks: CompatRoute = {
  answer: spells(TaskPage, OlderTasks, (page) => ({
    ...page,
    data: page.data.map((row) => ({
      ...row,
      start_time: row.start_time ?? 0,
      finish_time: row.finish_time ?? 0,
    })),
  })),
};

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
const status = spells(SiteStatus, SiteStatus.extend(besides), (site) => ({
  ...site,
  SafeKeyWords: [],
  SafeToolName: "Keyword",
  UptimeDomain: "",
  UptimeEnabled: false,
  UptimePageName: "",
  UserInvoiceMonth: true,
  analytics_code: "",
}));

export const statisticsCompat: Record<string, CompatRoute> = {
  "GET /user/dashboard": { handle: dashboard },
  "GET /analytics/multi_user_stats/export": { text: olderCsv },
  "POST /option/invoice/gen/:month": closeMonth(false),
  "POST /option/invoice/update/:month": closeMonth(true),
  "GET /mj": midjourney,
  "GET /mj/self": midjourney,
  "GET /task": tasks,
  "GET /task/self": tasks,
  "GET /status": { answer: status },
};
