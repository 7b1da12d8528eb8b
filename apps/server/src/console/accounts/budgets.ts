import {
  AccountBudget,
  BudgetInput,
  BudgetsQuery,
  type BudgetTarget,
  BudgetUses,
  BudgetView,
  OwnBudget,
} from "@gateway/shared/accounts/budget";
import type { AdminArea } from "@gateway/shared/accounts/roles";
import { answers, type ConsoleApp, ok } from "#console/answer.ts";
import { viewerOf } from "#console/guards.ts";
import { IdParams } from "#console/paging.ts";
import type { Services } from "#console/services.ts";
import { describeOwnBudget, setAccountBudget } from "#domain/budgets/account-budget.ts";
import { describeBudget, listUses, setBudget } from "#domain/budgets/budgets.ts";

const targets: readonly { target: BudgetTarget; path: string; permission: AdminArea }[] = [
  { target: "user", path: "/user", permission: "users" },
  { target: "group", path: "/user_group", permission: "groups" },
  { target: "token", path: "/token/admin", permission: "tokens" },
];

/** Budgets of accounts, groups and API keys for administrators. Every user reads their own, and can set one for the account. */
export function budgetRoutes(app: ConsoleApp, { db, settings }: Services): void {
  const zone = () => settings.current().TimeZone;

  app.get(
    "/user/self/budget",
    {
      config: { access: "user" },
      schema: {
        summary: "Get your budgets, their use and the forecast of the month",
        response: answers(OwnBudget),
      },
    },
    async (request) => ok(await describeOwnBudget(db, viewerOf(request).id, zone())),
  );

  app.put(
    "/user/self/budget",
    {
      config: { access: "user" },
      schema: {
        summary: "Set a monthly budget for your account",
        body: AccountBudget,
        response: answers(OwnBudget),
      },
    },
    async (request) => {
      await setAccountBudget(db, viewerOf(request), request.body);
      return ok(await describeOwnBudget(db, viewerOf(request).id, zone()));
    },
  );

  for (const { target, path, permission } of targets) {
    const config = { access: "admin", permission } as const;

    app.get(
      `${path}/budgets`,
      {
        config,
        schema: {
          summary: "List budgets and their use",
          querystring: BudgetsQuery,
          response: answers(BudgetUses),
        },
      },
      async (request) => {
        const { ids } = request.query;
        return ok(await listUses(db, viewerOf(request), { target, ids }, zone()));
      },
    );

    app.get(
      `${path}/:id/budget`,
      {
        config,
        schema: { summary: "Get a budget and its use", params: IdParams, response: answers(BudgetView) },
      },
      async (request) => ok(await describeBudget(db, viewerOf(request), target, request.params.id, zone())),
    );

    app.put(
      `${path}/:id/budget`,
      {
        config,
        schema: {
          summary: "Set or remove a budget",
          params: IdParams,
          body: BudgetInput,
          response: answers(BudgetView),
        },
      },
      async (request) => {
        const { budget } = request.body;
        const change = { target, id: request.params.id, budget, timeZone: zone() };
        return ok(await setBudget(db, viewerOf(request), change));
      },
    );
  }
}
