import { z } from "zod";
import { because } from "#errors/issue.ts";
import { Points, UnixTime } from "#paging.ts";

/** What an account or an API key may spend in a day, a week and a month of the site's time zone. */

const spend = because("spend_from_zero");
/** Two million dollars. */
const amount = Points.min(0, spend).max(1_000_000_000_000, because("points_too_many")).default(0);

export const budgetPeriods = ["day", "week", "month"] as const;
export type BudgetPeriod = (typeof budgetPeriods)[number];

/** The fields of a period: from `spend` on calls are refused, from `notify` on operators are notified. */
export const budgetFields = {
  day: { spend: "daily_spend", notify: "daily_notify" },
  week: { spend: "weekly_spend", notify: "weekly_notify" },
  month: { spend: "monthly_spend", notify: "monthly_notify" },
} as const;

/** Points; 0 is no limit, and no notice. */
export const Budget = z
  .object({
    daily_spend: amount,
    daily_notify: amount,
    weekly_spend: amount,
    weekly_notify: amount,
    monthly_spend: amount,
    monthly_notify: amount,
  })
  .superRefine((budget, context) => {
    for (const fields of Object.values(budgetFields)) {
      const most = budget[fields.spend];
      if (most === 0 || budget[fields.notify] <= most) continue;
      context.addIssue({ code: "custom", path: [fields.notify], message: because("budget_notify_above") });
    }
  });
export type Budget = z.output<typeof Budget>;

/** What budgets can be set for. */
export const BudgetTarget = z.enum(["user", "group", "token"]);
export type BudgetTarget = z.infer<typeof BudgetTarget>;

/** PUT …/budget. Null: an account follows its group again; a group or an API key has no budget. */
export const BudgetInput = z.object({ budget: Budget.nullable() });

/** A period that has a limit or a notice. */
export const PeriodUse = z.object({
  period: z.enum(budgetPeriods),
  used: Points,
  /** 0 = calls are never refused. */
  limit: Points,
  /** 0 = no notice. */
  notify: Points,
  resets_at: UnixTime,
});
export type PeriodUse = z.infer<typeof PeriodUse>;

/** GET …/budget. */
export const BudgetView = z.object({
  /** Its own; null when there is none. */
  budget: Budget.nullable(),
  /** The group's, which an account without one of its own follows. */
  inherited: Budget.nullable(),
  uses: z.array(PeriodUse),
  /** Whose days, weeks and months these are. */
  time_zone: z.string(),
});
export type BudgetView = z.infer<typeof BudgetView>;

/** Query of GET …/budgets: ids with commas between them. */
export const BudgetsQuery = z.object({
  ids: z
    .string()
    .max(1_000)
    .regex(/^\d{1,9}(,\d{1,9})*$/)
    .transform((text) => text.split(",").map(Number))
    .pipe(z.array(z.int()).max(100, because("ids_too_many"))),
});

/** By id. Of a group: the use of the member who has spent the most of the group's budget. */
export const BudgetUses = z.record(z.string(), z.array(PeriodUse));
export type BudgetUses = z.infer<typeof BudgetUses>;

/** GET /api/user/self/budget: the account's, and those of its API keys that have one. */
export const OwnBudget = z.object({ account: z.array(PeriodUse), tokens: BudgetUses });
export type OwnBudget = z.infer<typeof OwnBudget>;
