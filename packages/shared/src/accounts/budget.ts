/**
 * Spending limits of an account, a group or an API key per day, week and month in the site's time zone, and
 * per session of an agent.
 */
import { z } from "zod";
import { because } from "#errors/issue.ts";
import { Points, UnixTime } from "#paging.ts";

const spend = because("spend_from_zero");
/** Maximum amount in points: two million dollars. */
const amount = Points.min(0, spend).max(1_000_000_000_000, because("points_too_many")).default(0);

export const budgetPeriods = ["day", "week", "month"] as const;
export type BudgetPeriod = (typeof budgetPeriods)[number];

/**
 * Fields of each period: calls are rejected from `spend` points on, operators are notified from `notify` on.
 */
export const budgetFields = {
  day: { spend: "daily_spend", notify: "daily_notify" },
  week: { spend: "weekly_spend", notify: "weekly_notify" },
  month: { spend: "monthly_spend", notify: "monthly_notify" },
} as const;

/** Amounts in points. 0 means no limit, or no notification. */
export const Budget = z
  .object({
    daily_spend: amount,
    daily_notify: amount,
    weekly_spend: amount,
    weekly_notify: amount,
    monthly_spend: amount,
    monthly_notify: amount,
    /** Limit of each session of an agent. */
    session_spend: amount,
  })
  .superRefine((budget, context) => {
    for (const fields of Object.values(budgetFields)) {
      const most = budget[fields.spend];
      if (most === 0 || budget[fields.notify] <= most) continue;
      context.addIssue({ code: "custom", path: [fields.notify], message: because("budget_notify_above") });
    }
  });
export type Budget = z.output<typeof Budget>;

/** Returns the points that a session may spend by a stored budget; 0 means no limit. */
export function sessionSpendOf(stored: unknown): number {
  return stored === null ? 0 : (Budget.safeParse(stored).data?.session_spend ?? 0);
}

/** Kinds of objects that can have a budget. */
export const BudgetTarget = z.enum(["user", "group", "token"]);
export type BudgetTarget = z.infer<typeof BudgetTarget>;

/** Body of PUT …/budget. Null removes the budget: an account then follows its group again. */
export const BudgetInput = z.object({ budget: Budget.nullable() });

/** Spending in a period that has a limit or a notification. */
export const PeriodUse = z.object({
  period: z.enum(budgetPeriods),
  used: Points,
  /** 0 = calls are never rejected. */
  limit: Points,
  /** 0 = no notification. */
  notify: Points,
  resets_at: UnixTime,
});
export type PeriodUse = z.infer<typeof PeriodUse>;

/** Response of GET …/budget. */
export const BudgetView = z.object({
  /** The object's own budget; null when there is none. */
  budget: Budget.nullable(),
  /** The group's budget. An account without its own budget follows it. */
  inherited: Budget.nullable(),
  uses: z.array(PeriodUse),
  /** Time zone of the days, weeks and months. */
  time_zone: z.string(),
});
export type BudgetView = z.infer<typeof BudgetView>;

/** Query of GET …/budgets: comma-separated ids. */
export const BudgetsQuery = z.object({
  ids: z
    .string()
    .max(1_000)
    .regex(/^\d{1,9}(,\d{1,9})*$/)
    .transform((text) => text.split(",").map(Number))
    .pipe(z.array(z.int()).max(100, because("ids_too_many"))),
});

/** Spending by id. A group shows the member that has spent the most of the group's budget. */
export const BudgetUses = z.record(z.string(), z.array(PeriodUse));
export type BudgetUses = z.infer<typeof BudgetUses>;

/** The monthly budget that the owner of an account sets, beside those that operators set. */
export const AccountBudget = z.object({
  /** Points per month in the site's time zone; 0 = no budget. */
  limit: amount,
  /** The owner is notified from this share of the limit on, in percent; 0 = never. */
  warning: z.int().min(0, because("percent_range")).max(100, because("percent_range")).default(80),
  /** Calls beyond the limit are refused. */
  stops: z.boolean().default(false),
});
export type AccountBudget = z.output<typeof AccountBudget>;

/** The charges of the current month, and what they will be at its end if spending continues as in the last days. */
export const MonthForecast = z.object({
  used: Points,
  /** Average charge of a day over the last `averaged_days` days. */
  daily_average: z.number(),
  /** Up to 7; fewer for an account whose first call was later. */
  averaged_days: z.number(),
  /** Days until the end of the month, with their fraction. */
  days_left: z.number(),
  /** `used` + `daily_average` × `days_left`. */
  expected: Points,
  resets_at: UnixTime,
  time_zone: z.string(),
});
export type MonthForecast = z.infer<typeof MonthForecast>;

/** Response of GET /api/user/self/budget: the account's budgets, and those of its API keys that have one. */
export const OwnBudget = z.object({
  /** Use of the operator's budget. */
  account: z.array(PeriodUse),
  tokens: BudgetUses,
  /** The budget that the owner set. */
  own: AccountBudget,
  month: MonthForecast,
});
export type OwnBudget = z.infer<typeof OwnBudget>;
