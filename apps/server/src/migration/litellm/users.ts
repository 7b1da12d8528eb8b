import { Role } from "@gateway/shared/accounts/roles";
import type { ReadContext } from "#migration/products/product.ts";
import type { UserRecord } from "#migration/records.ts";
import { truncateText, json, record, text } from "#migration/row.ts";
import { type LitellmAccount, accountsOf, createdAt, isUnknownPeriod } from "./accounts.ts";

export async function* litellmUsers(context: ReadContext): AsyncGenerator<UserRecord> {
  for (const account of (await accountsOf(context)).all) {
    context.book.read("users");
    reportAccount(account, context);
    yield userOf(account);
  }
}

function userOf({ id, kind, row, balance, used, budget, isBlocked }: LitellmAccount): UserRecord {
  const subject = text(row, "sso_user_id").trim();
  return {
    id,
    username: usernameOf(id, kind, row),
    passwordHash: text(row, "password").trim(),
    displayName: truncateText(text(row, kind === "team" ? "team_alias" : "user_alias"), 64),
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
    identities: subject === "" ? [] : [{ provider: "oidc", subject: truncateText(subject, 255), label: "" }],
    ...(budget === undefined ? {} : { budget }),
  };
}

function usernameOf(id: number, kind: LitellmAccount["kind"], row: LitellmAccount["row"]): string {
  if (kind === "root") return "root";
  if (kind === "shared") return "litellm-keys";
  const name = kind === "team" ? text(row, "team_alias") || text(row, "team_id") : text(row, "user_id");
  return truncateText(name.trim().replaceAll(/\s+/g, "-"), 64) || `${kind}-${id}`;
}

function reportAccount({ id, kind, row, budget }: LitellmAccount, { book, creditPoints }: ReadContext): void {
  const label = kind === "user" ? `user ${text(row, "user_id")}` : `team ${text(row, "team_id")}`;
  if (kind === "root" || (id === 1 && text(row, "password") === "")) book.attention("root_without_password");
  if (kind === "shared") book.note("shared_account", `user ${id}`);
  if (kind === "root" || kind === "shared") return;
  if (kind === "team") book.attention("team_account", label);
  if (text(row, "user_role") === "proxy_admin_viewer") book.attention("admin_viewer", label);
  if (text(row, "max_budget") === "" && creditPoints === undefined)
    book.attention("account_without_budget", label);
  if (budget !== undefined) book.attention("account_budget", label);
  if (text(row, "max_budget") !== "" && isUnknownPeriod(text(row, "budget_duration")))
    book.attention("budget_period", label);
  for (const [column, what] of [
    ["model_max_budget", "budgets per model"],
    ["policies", "policies"],
  ] as const)
    if (!["", "{}", "[]"].includes(text(row, column).trim()))
      book.attention("account_lost", `${label}: ${what}`);
  for (const column of ["tpm_limit", "rpm_limit", "max_parallel_requests"] as const)
    if (text(row, column) !== "") book.attention("account_rates", `${label}: ${column}`);
  if (Object.keys(record(json(row, "metadata"))).length > 0) book.note("user_remarks", label);
}
