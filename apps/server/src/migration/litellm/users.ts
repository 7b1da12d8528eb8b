import { Role } from "@gateway/shared/accounts/roles";
import type { ReadContext } from "#migration/products/product.ts";
import type { UserRecord } from "#migration/records.ts";
import { cut, json, record, text } from "#migration/row.ts";
import { type Account, accountsOf, createdAt, isUnknownPeriod } from "./accounts.ts";

export async function* litellmUsers(context: ReadContext): AsyncGenerator<UserRecord> {
  for (const account of (await accountsOf(context)).all) {
    context.book.read("users");
    note(account, context);
    yield userOf(account);
  }
}

function userOf({ id, kind, row, balance, used, budget, isBlocked }: Account): UserRecord {
  const subject = text(row, "sso_user_id").trim();
  return {
    id,
    username: usernameOf(id, kind, row),
    passwordHash: text(row, "password").trim(),
    displayName: cut(text(row, kind === "team" ? "team_alias" : "user_alias"), 64),
    role: id === 1 ? Role.root : text(row, "user_role") === "proxy_admin" ? Role.admin : Role.user,
    status: isBlocked ? 2 : 1,
    email: text(row, "user_email").trim().toLowerCase(),
    avatarUrl: "",
    group: "default",
    quota: balance,
    used,
    requestCount: 0n,
    accessToken: "",
    affCode: "",
    inviterId: 0,
    affCount: 0,
    affQuota: 0n,
    affHistory: 0n,
    language: "",
    lastLoginTime: undefined,
    lastLoginIp: "",
    createdTime: createdAt(row),
    deletedAt: undefined,
    identities: subject === "" ? [] : [{ provider: "oidc", subject: cut(subject, 255), label: "" }],
    ...(budget === undefined ? {} : { budget }),
  };
}

function usernameOf(id: number, kind: Account["kind"], row: Account["row"]): string {
  if (kind === "root") return "root";
  if (kind === "shared") return "litellm-keys";
  const name = kind === "team" ? text(row, "team_alias") || text(row, "team_id") : text(row, "user_id");
  return cut(name.trim().replaceAll(/\s+/g, "-"), 64) || `${kind}-${id}`;
}

function note({ id, kind, row, budget }: Account, { book, creditPoints }: ReadContext): void {
  const label = kind === "user" ? `user ${text(row, "user_id")}` : `team ${text(row, "team_id")}`;
  if (kind === "root" || (id === 1 && text(row, "password") === ""))
    book.attention(
      "root_without_password",
      "The root account has no password, because LiteLLM's administrator is its master key. Set one with: gateway users recover 1",
    );
  if (kind === "shared")
    book.note(
      "shared_account",
      "Keys without a user or a team belong to the account litellm-keys",
      `user ${id}`,
    );
  if (kind === "root" || kind === "shared") return;
  if (kind === "team")
    book.attention(
      "team_account",
      "Teams, which are accounts here: each owns the keys of its team. Their members do not see these keys",
      label,
    );
  if (text(row, "user_role") === "proxy_admin_viewer")
    book.attention(
      "admin_viewer",
      "Administrators who could only look. They are users; give them rights in the console",
      label,
    );
  if (text(row, "max_budget") === "" && creditPoints === undefined)
    book.attention(
      "account_without_budget",
      "Accounts without a budget could spend without a limit. Every call is paid from a balance here, and theirs is 0: give it with --credit <dollars>, or top them up",
      label,
    );
  if (budget !== undefined)
    book.attention(
      "account_budget",
      "Accounts whose budget begins again each day, week or month. It is the budget of the account here, counted from now on in the time zone of the site; their balance is that of --credit",
      label,
    );
  if (text(row, "max_budget") !== "" && isUnknownPeriod(text(row, "budget_duration")))
    book.attention(
      "budget_period",
      "Budgets of a period other than a day, a week or a month. What is left of them counts for good, which allows less than before",
      label,
    );
  for (const [column, what] of [
    ["model_max_budget", "budgets per model"],
    ["policies", "policies"],
  ] as const)
    if (!["", "{}", "[]"].includes(text(row, column).trim()))
      book.attention("account_lost", "Accounts with settings that have no counterpart", `${label}: ${what}`);
  for (const column of ["tpm_limit", "rpm_limit", "max_parallel_requests"] as const)
    if (text(row, column) !== "")
      book.attention(
        "account_rates",
        "Accounts with limits per minute. Limits belong to keys or to groups here",
        `${label}: ${column}`,
      );
  if (Object.keys(record(json(row, "metadata"))).length > 0)
    book.note("user_remarks", "Remarks about users have no place here", label);
}
