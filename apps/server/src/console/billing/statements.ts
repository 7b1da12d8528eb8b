import {
  ClosedMonth,
  MonthInPath,
  StatementDetailQuery,
  StatementLine,
  StatementPage,
  StatementQuery,
  StatementUserPage,
  StatementUsersQuery,
} from "@gateway/shared/billing/statement";
import { z } from "zod";
import { answers, type ConsoleApp, ok } from "#console/answer.ts";
import { viewerOf } from "#console/guards.ts";
import { RowIdText } from "#console/paging.ts";
import type { Services } from "#console/services.ts";
import { closeMonthByHand } from "#domain/usage/close-months.ts";
import {
  closedMonths,
  listStatements,
  runningStatement,
  statementLines,
  statementUsers,
} from "#domain/usage/statements.ts";

const UserMonth = StatementDetailQuery.extend({ user_id: RowIdText });

/**
 * Routes for closed months: the own ones for every user, all for administrators. Only root closes a month by
 * hand.
 */
export function statementRoutes(app: ConsoleApp, { db, pool }: Services): void {
  const user = { access: "user" } as const;
  const admin = { access: "admin", permission: "analytics" } as const;
  const lines = answers(z.array(StatementLine));

  app.get(
    "/user/invoice",
    {
      config: user,
      schema: {
        summary: "List your monthly statements",
        querystring: StatementQuery,
        response: answers(StatementPage),
      },
    },
    async (request) => ok(await listStatements(pool, viewerOf(request).id, request.query)),
  );
  app.get(
    "/user/invoice/running",
    {
      config: user,
      schema: { summary: "Get your statement of the current month so far", response: lines },
    },
    async (request) => ok(await runningStatement(pool, viewerOf(request).id)),
  );
  app.get(
    "/user/invoice/detail",
    {
      config: user,
      schema: {
        summary: "Get one of your monthly statements",
        querystring: StatementDetailQuery,
        response: lines,
      },
    },
    async (request) => ok(await statementLines(pool, viewerOf(request).id, request.query.date)),
  );

  app.get(
    "/analytics/statements",
    {
      config: admin,
      schema: { summary: "List monthly statements of the site", response: answers(z.array(ClosedMonth)) },
    },
    async () => ok(await closedMonths(pool)),
  );
  app.get(
    "/analytics/statements/users",
    {
      config: admin,
      schema: {
        summary: "List the users of a monthly statement",
        querystring: StatementUsersQuery,
        response: answers(StatementUserPage),
      },
    },
    async (request) => ok(await statementUsers(pool, request.query)),
  );
  app.get(
    "/analytics/statements/detail",
    {
      config: admin,
      schema: { summary: "Get a user's monthly statement", querystring: UserMonth, response: lines },
    },
    async (request) => ok(await statementLines(pool, request.query.user_id, request.query.date)),
  );

  const byHand = (summary: string) =>
    ({
      config: { access: "root", rateLimit: { max: 10, timeWindow: 60_000 } },
      schema: { summary, params: MonthInPath, response: answers(ClosedMonth) },
    }) as const;
  app.post("/option/invoice/gen/:month", byHand("Create the statements of a month"), async (request) =>
    ok(await closeMonthByHand(db, viewerOf(request), { month: request.params.month, again: false })),
  );
  app.post(
    "/option/invoice/update/:month",
    byHand("Create the statements of a month again"),
    async (request) =>
      ok(await closeMonthByHand(db, viewerOf(request), { month: request.params.month, again: true })),
  );
}
