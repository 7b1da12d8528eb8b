/** Budgets of accounts, groups and API keys. */
import type {
  AccountBudget,
  Budget,
  BudgetTarget,
  BudgetUses,
  BudgetView,
  OwnBudget,
} from "@gateway/shared/accounts/budget";
import { keepPreviousData, queryOptions, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { asSent, http } from "#lib/http.ts";
import { inForm } from "#lib/query-client.ts";
import { selfQuery } from "#lib/session.ts";

const allBudgets = ["budget"] as const;

const paths: Record<BudgetTarget, string> = { user: "/user", group: "/user_group", token: "/token/admin" };

/** Budgets of the rows of a list, by id. Rows without a budget are missing. */
export function useBudgetUses(target: BudgetTarget, rows: readonly { id: number }[] | undefined): BudgetUses {
  const ids = (rows ?? []).map(({ id }) => id).join(",");
  const uses = useQuery({
    queryKey: [...allBudgets, target, "list", ids],
    queryFn: () => http.get(`${paths[target]}/budgets`, asSent<BudgetUses>(), { ids }),
    enabled: ids !== "",
    placeholderData: keepPreviousData,
  });
  return uses.data ?? none;
}

const none: BudgetUses = {};

export const budgetQuery = (target: BudgetTarget, id: number) =>
  queryOptions({
    queryKey: [...allBudgets, target, id],
    queryFn: () => http.get(`${paths[target]}/${id}/budget`, asSent<BudgetView>()),
  });

export const ownBudgetQuery = queryOptions({
  queryKey: [...allBudgets, "own"],
  queryFn: () => http.get("/user/self/budget", asSent<OwnBudget>()),
});

/** Sets the budget that the owner of the account plans with. */
export function useSetAccountBudget() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (budget: AccountBudget) => http.put("/user/self/budget", asSent<OwnBudget>(), budget),
    meta: inForm,
    onSuccess: async (updated) => {
      client.setQueryData(ownBudgetQuery.queryKey, updated);
      // The dashboard shows the budget if there is one.
      await client.invalidateQueries({ queryKey: selfQuery.queryKey });
    },
  });
}

export function useSetBudget(target: BudgetTarget, id: number) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (budget: Budget | null) =>
      http.put(`${paths[target]}/${id}/budget`, asSent<BudgetView>(), { budget }),
    meta: inForm,
    onSuccess: () =>
      Promise.all([
        client.invalidateQueries({ queryKey: allBudgets }),
        // It may be the account or the group of the operator, whose dashboard shows the budget if there is one.
        client.invalidateQueries({ queryKey: selfQuery.queryKey }),
      ]),
  });
}
