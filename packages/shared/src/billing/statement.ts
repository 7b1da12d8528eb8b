import { z } from "zod";
import { because } from "#errors/issue.ts";
import { Page, PageQuery, Sum, UnixTime } from "#paging.ts";

const Month = z.string().regex(/^\d{4}-(0[1-9]|1[0-2])(-01)?$/, because("month_format"));

const sums = {
  request_count: Sum,
  quota: Sum,
  prompt_tokens: Sum,
  completion_tokens: Sum,
  /** Sum in milliseconds. */
  request_time: Sum,
};

/** A closed month of one user: GET /api/user/invoice. `date` is its first day in UTC. */
export const StatementMonth = z.object({ date: z.string(), ...sums });
export type StatementMonth = z.infer<typeof StatementMonth>;
export const StatementPage = Page(StatementMonth);
export type StatementPage = z.infer<typeof StatementPage>;

export const StatementQuery = PageQuery.extend({ size: PageQuery.shape.size.catch(12).default(12) });
export type StatementQuery = z.infer<typeof StatementQuery>;

/** One model of a closed month: GET /api/user/invoice/detail. */
export const StatementLine = z.object({ date: z.string(), model_name: z.string(), ...sums });
export type StatementLine = z.infer<typeof StatementLine>;

export const StatementDetailQuery = z.object({ date: Month });

/** Path of POST /api/option/invoice/gen/:month and …/update/:month, which close a month manually or again. */
export const MonthInPath = z.object({ month: Month });

/** GET /api/analytics/statements: closed months of the whole site. */
export const ClosedMonth = z.object({
  date: z.string(),
  closed_at: UnixTime,
  users: z.int(),
  quota: Sum,
});
export type ClosedMonth = z.infer<typeof ClosedMonth>;

/** Query of GET /api/analytics/statements/users: usage by user in a closed month. */
export const StatementUsersQuery = PageQuery.extend({
  date: Month,
  keyword: z.string().trim().max(64).default(""),
});
export type StatementUsersQuery = z.infer<typeof StatementUsersQuery>;
export const StatementUser = z.object({ user_id: z.int(), username: z.string(), ...sums });
export type StatementUser = z.infer<typeof StatementUser>;
export const StatementUserPage = Page(StatementUser);
export type StatementUserPage = z.infer<typeof StatementUserPage>;
