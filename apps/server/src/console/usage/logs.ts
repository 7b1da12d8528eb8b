import { can, mayEnter } from "@gateway/shared/accounts/roles";
import { Nothing } from "@gateway/shared/envelope";
import { because } from "@gateway/shared/errors/issue";
import { queryInt } from "@gateway/shared/paging";
import { OwnPeriod, OwnPeriodQuery } from "@gateway/shared/usage/analytics";
import {
  type AccountEvent,
  AccountEventsQuery,
  Dashboard,
  DashboardQuery,
} from "@gateway/shared/usage/dashboard";
import { LogFacets, LogFacetsQuery, LogPage, LogQuery, LogRow, LogTotals } from "@gateway/shared/usage/log";
import type { FastifyRequest } from "fastify";
import { z } from "zod";
import { answers, type ConsoleApp, ok } from "#console/answer.ts";
import { sendEvents } from "#console/event-stream.ts";
import { viewerOf } from "#console/guards.ts";
import { liveEvents } from "#console/live-events.ts";
import type { Services } from "#console/services.ts";
import { findGroup } from "#domain/accounts/groups/groups.ts";
import { clearLogs } from "#domain/logs/clear.ts";
import { logFacets } from "#domain/logs/facets.ts";
import type { LogSearch, LogView } from "#domain/logs/filter.ts";
import { findCall } from "#domain/logs/find-call.ts";
import { searchLogs } from "#domain/logs/search.ts";
import { totalLogs } from "#domain/logs/totals.ts";
import { accountVersions, createAccountVersions } from "#domain/usage/account-versions.ts";
import { failuresSince } from "#domain/usage/failures.ts";
import { lastMinute } from "#domain/usage/last-minute.ts";
import { ownUsage, usedYesterday } from "#domain/usage/own-usage.ts";
import { describeOwnPeriod } from "#domain/usage/period.ts";
import { forbidden } from "#errors.ts";
import { currentTime, unixTime } from "#platform/clock.ts";
import type { ReadDatabase } from "#platform/database/replica/replica.ts";

const required = because("target_timestamp_required");
/** Days that ended before this instant are deleted. Today is never deleted. */
const ClearQuery = z.object({
  target_timestamp: queryInt(z.int(required).min(1, required)).transform((seconds) =>
    Math.min(seconds, unixTime(currentTime())),
  ),
});

const CallParams = z.object({ id: z.string().min(1).max(64) });

export const everybody: LogView = { of: "everybody" };

/** Returns the view of a user on the own rows. */
export function ownLogView(request: FastifyRequest): LogView {
  const { id, role } = viewerOf(request);
  return { of: "owner", userId: id, seesTags: can(role, "seeBillingTag") };
}

/** Returns a page of the log with the number of all rows. */
function pageOfLogs(reads: ReadDatabase, view: LogView, query: LogSearch): Promise<LogPage> {
  return reads.run(async ({ pool }) => {
    const found = await searchLogs(pool, view, query);
    // A caller that pages with a cursor already has the total.
    if (query.cursor !== "") return found;
    const { count } = await totalLogs(pool, view, query);
    return { ...found, page: query.page ?? 1, size: query.size, total_count: count };
  });
}

const user = { access: "user" } as const;

/** Routes for the request log and the dashboard: everything for administrators, own data for every user. */
export function logRoutes(app: ConsoleApp, services: Services): void {
  const { db, pool, reads } = services;
  const admin = { access: "admin", permission: "logs" } as const;
  const page = { querystring: LogQuery, response: answers(LogPage) };
  const totals = { querystring: LogQuery, response: answers(LogTotals) };
  const search = (view: LogView, query: LogQuery) => pageOfLogs(reads, view, query);
  const sum = (view: LogView, query: LogQuery) => reads.run(({ pool }) => totalLogs(pool, view, query));
  const count = (view: LogView, query: LogFacetsQuery) =>
    reads.run(({ pool }) => logFacets(pool, view, query));

  app.get(
    "/log",
    { config: admin, schema: { summary: "List calls and account movements of all users", ...page } },
    async (request) => ok(await search(everybody, request.query)),
  );
  app.get(
    "/log/self",
    { config: user, schema: { summary: "List your calls and account movements", ...page } },
    async (request) => ok(await search(ownLogView(request), request.query)),
  );
  app.get(
    "/log/stat",
    { config: admin, schema: { summary: "Sum the calls of all users that match a filter", ...totals } },
    async (request) => ok(await sum(everybody, request.query)),
  );
  app.get(
    "/log/self/stat",
    { config: user, schema: { summary: "Sum your calls that match a filter", ...totals } },
    async (request) => ok(await sum(ownLogView(request), request.query)),
  );

  const facets = { querystring: LogFacetsQuery, response: answers(LogFacets) };
  app.get(
    "/log/facets",
    {
      config: admin,
      schema: { summary: "Count the calls of all users by outcome, model, channel and more", ...facets },
    },
    async (request) => ok(await count(everybody, request.query)),
  );
  app.get(
    "/log/self/facets",
    { config: user, schema: { summary: "Count your calls by outcome, model and more", ...facets } },
    async (request) => ok(await count(ownLogView(request), request.query)),
  );
  app.get(
    "/log/:id",
    {
      config: user,
      schema: { summary: "Get a call with its attempts", params: CallParams, response: answers(LogRow) },
    },
    async (request) => {
      const view = mayEnter(viewerOf(request), "logs") ? everybody : ownLogView(request);
      // From the primary: the page of a call may be opened right after the call.
      return ok(await findCall(pool, view, request.params.id));
    },
  );

  app.delete(
    "/log",
    {
      config: admin,
      schema: {
        summary: "Delete log rows before a date",
        querystring: ClearQuery,
        response: answers(z.int()),
      },
    },
    async (request) =>
      ok(await clearLogs({ db, pool }, viewerOf(request), new Date(request.query.target_timestamp * 1000))),
  );

  dashboardRoutes(app, services);
}

function dashboardRoutes(app: ConsoleApp, { db, reads }: Services): void {
  app.get(
    "/user/dashboard",
    {
      config: user,
      schema: {
        summary: "Get your usage of the last days",
        querystring: DashboardQuery,
        response: answers(Dashboard),
      },
    },
    async (request) => {
      const viewer = viewerOf(request);
      const { time_zone, days } = request.query;
      const own = { userId: viewer.id, timeZone: time_zone };
      const dayAgo = new Date(currentTime().getTime() - 86_400_000);
      const group = await findGroup(db, viewer.group);
      const { usage, rate, yesterday, failures, version } = await reads.run(async ({ pool }) => {
        // Read first: a change during the reads below has a newer version and is reported again.
        const versions = await accountVersions(pool, [viewer.id]);
        const [usage, rate, yesterday, failures] = await Promise.all([
          ownUsage(pool, { ...own, days }),
          lastMinute(pool, viewer.id),
          usedYesterday(pool, own),
          failuresSince(pool, dayAgo, viewer.id),
        ]);
        return { usage, rate, yesterday, failures, version: versions.get(viewer.id) ?? "" };
      });
      return ok({
        ...usage,
        rate: { ...rate, max_rpm: group?.api_rate ?? 0 },
        yesterday,
        failures,
        version,
      });
    },
  );

  app.get(
    "/user/period",
    {
      config: user,
      schema: {
        summary: "Get your usage over a period, by day and model, API key, billing tag or group",
        querystring: OwnPeriodQuery,
        response: answers(OwnPeriod),
      },
    },
    async (request) => {
      const { id, role } = viewerOf(request);
      const { start_timestamp, end_timestamp, group_type, time_zone } = request.query;
      if (group_type === "tag" && !can(role, "seeBillingTag"))
        throw forbidden({ reason: "billing_tag" }, { field: "group_type" });
      const period = {
        from: new Date(start_timestamp * 1_000),
        to: new Date(end_timestamp * 1_000),
        groupType: group_type,
        userId: id,
        timeZone: time_zone,
      };
      return ok(await reads.run((database) => describeOwnPeriod(database, period)));
    },
  );

  // From where the dashboard is read: it would not show a newer version yet.
  const versions = createAccountVersions((ids) => reads.run(({ pool }) => accountVersions(pool, ids)));
  const closing = new AbortController();
  app.addHook("preClose", async () => closing.abort());
  app.get(
    "/user/dashboard/events",
    {
      config: user,
      schema: {
        summary: "Follow your usage as server-sent events",
        querystring: AccountEventsQuery,
        response: answers(Nothing),
      },
    },
    async (request, reply) => {
      const { id } = viewerOf(request);
      return sendEvents(
        request,
        reply,
        liveEvents<AccountEvent>({
          read: async () => ({ version: await versions.read(id) }),
          versionOf: ({ version }) => version,
          seen: request.query.seen,
          signal: closing.signal,
        }),
      );
    },
  );
}
