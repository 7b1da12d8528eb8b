import { AutoDisabledChannel } from "@gateway/shared/channels/auto-disabled";
import { csvCell } from "@gateway/shared/csv-cell";
import {
  Period,
  PeriodQuery,
  SiteStatistics,
  UserModelUsage,
  UsersQuery,
  UserUsage,
} from "@gateway/shared/usage/analytics";
import { Insights, InsightsQuery } from "@gateway/shared/usage/insights";
import { z } from "zod";
import { answers, type ConsoleApp, ok } from "#console/answer.ts";
import type { Services } from "#console/services.ts";
import { listAutoDisabledChannels } from "#domain/channels/channel-events.ts";
import { describeInsights } from "#domain/overview/insights.ts";
import { compareUsers } from "#domain/usage/compare-users.ts";
import { describePeriod } from "#domain/usage/period.ts";
import { describeSite } from "#domain/usage/site.ts";

const config = { access: "admin", permission: "analytics" } as const;

/** Routes for statistics about all users, for administrators. */
export function analyticsRoutes(app: ConsoleApp, { db, reads }: Services): void {
  app.get(
    "/analytics/statistics",
    {
      config,
      schema: {
        summary: "Get the site's users, channels, codes and totals",
        response: answers(SiteStatistics),
      },
    },
    async () => ok(await reads.run(({ pool }) => describeSite(pool))),
  );

  app.get(
    "/analytics/period",
    {
      config,
      schema: {
        summary: "Get usage over a period, by day, model, channel and user",
        querystring: PeriodQuery,
        response: answers(Period),
      },
    },
    async (request) => {
      const { start_timestamp, end_timestamp, group_type, user_id, time_zone } = request.query;
      const period = {
        from: new Date(start_timestamp * 1000),
        to: new Date(end_timestamp * 1000),
        groupType: group_type,
        userId: user_id === 0 ? undefined : user_id,
        timeZone: time_zone,
      };
      return ok(await reads.run((database) => describePeriod(database, period)));
    },
  );

  app.get(
    "/analytics/insights",
    {
      config,
      schema: {
        summary: "Get rankings, flows, margins and latency of a period",
        querystring: InsightsQuery,
        response: answers(Insights),
      },
    },
    async (request) => {
      const { start_timestamp, end_timestamp, user_id, time_zone: timeZone } = request.query;
      const [from, to] = [new Date(start_timestamp * 1000), new Date(end_timestamp * 1000)];
      const period = { from, to, timeZone, userId: user_id === 0 ? undefined : user_id };
      return ok(await reads.run(({ pool }) => describeInsights(pool, period)));
    },
  );

  autoDisabledRoute(app, db);

  const compared = answers(z.array(UserUsage));
  app.get(
    "/analytics/multi_user_stats",
    {
      config,
      schema: {
        summary: "Get usage of several users over a period",
        querystring: UsersQuery,
        // The older API has the models beside the data.
        response: {
          ...compared,
          200: z.object({ ...compared[200].shape, model_usage: z.array(UserModelUsage) }),
        },
      },
    },
    async (request) => {
      const { users, models } = await reads.run(({ pool }) => compareUsers(pool, request.query));
      return { ...ok(users), model_usage: models };
    },
  );

  app.get(
    "/analytics/multi_user_stats/export",
    {
      config,
      schema: {
        summary: "Export usage of several users as CSV",
        querystring: UsersQuery,
        response: { ...compared, 200: z.string() },
      },
    },
    async (request, reply) => {
      const { start_time, end_time } = request.query;
      const { users } = await reads.run(({ pool }) => compareUsers(pool, request.query));
      const file = `multi_user_stats_${start_time}_${end_time}.csv`;
      void reply
        .header("content-disposition", `attachment; filename="${file}"`)
        .type("text/csv; charset=utf-8");
      return csvOf([
        ["Username", "Request Count", "Quota", "Prompt Tokens", "Completion Tokens", "Request Time (ms)"],
        ...users.map((user) => [
          user.username,
          user.request_count,
          user.quota,
          user.prompt_tokens,
          user.completion_tokens,
          user.request_time,
        ]),
      ]);
    },
  );
}

function autoDisabledRoute(app: ConsoleApp, db: Services["db"]): void {
  app.get(
    "/analytics/auto_disabled",
    {
      config,
      schema: {
        summary: "List the channels that were disabled automatically in a period",
        querystring: InsightsQuery,
        response: answers(z.array(AutoDisabledChannel)),
      },
    },
    async (request) => {
      const { start_timestamp, end_timestamp } = request.query;
      const [from, to] = [new Date(start_timestamp * 1000), new Date(end_timestamp * 1000)];
      return ok(await listAutoDisabledChannels(db, { from, to }));
    },
  );
}

const byteOrderMark = "\uFEFF";

/** Returns a CSV file that spreadsheets open as text and numbers, whatever the cells contain. */
function csvOf(table: readonly (readonly (string | number)[])[]): string {
  return byteOrderMark + table.map((row) => row.map(csvCell).join(",")).join("\r\n");
}
