import { Role } from "@gateway/shared/accounts/roles";
import type { ReadContext } from "#migration/products/product.ts";
import type { PasskeyRecord, SecondFactorRecord, UserRecord } from "#migration/records.ts";
import { ImportRefusal } from "#migration/refusal.ts";
import {
  bytes,
  truncateText,
  deletion,
  flag,
  int,
  isUnreadable,
  parseJson,
  points,
  record,
  seconds,
  stamp,
  text,
} from "#migration/row.ts";
import type { SourceRow } from "#migration/sources/source.ts";
import { decode } from "./base32.ts";

/** Accounts of One API and what came out of it: the columns have the same names, and each product lacks some. */
export async function* readUsers(context: ReadContext): AsyncGenerator<UserRecord> {
  let hasRoot = false;
  for await (const row of context.source.rows({ table: "users", orderBy: "id" })) {
    context.book.read("users");
    const user = userOf(row, context);
    if (user.id <= 0) {
      context.book.skip("users", "user_id_unusable");
      continue;
    }
    if (user.role === Role.root && hasRoot) {
      user.role = Role.admin;
      context.book.attention("second_root", `user ${user.id}`);
    }
    hasRoot ||= user.role === Role.root;
    if (user.role === Role.admin && user.deletedAt === undefined)
      context.book.attention("administrator_rights", `user ${user.id}`);
    yield user;
  }
}

function userOf(row: SourceRow, { book, now }: ReadContext): UserRecord {
  const id = int(row, "id");
  const status = int(row, "status");
  const username = truncateText(text(row, "username"), 64);
  const password = text(row, "password").trim();
  if (text(row, "remark") !== "") book.note("user_remarks", `user ${id}`);
  checkNumbers(row, id, book);
  return {
    id,
    username: username === "" ? `user-${id}` : username,
    passwordHash: password,
    displayName: truncateText(text(row, "display_name"), 64),
    role: roleOf(int(row, "role")),
    status: status === 1 ? 1 : 2,
    email: text(row, "email").trim().toLowerCase(),
    avatarUrl: truncateText(text(row, "avatar_url"), 500),
    group: text(row, "group").trim(),
    quota: points(row, "quota"),
    used: points(row, "used_quota"),
    requestCount: points(row, "request_count"),
    accessToken: text(row, "access_token").trim(),
    affCode: truncateText(text(row, "aff_code").trim(), 32),
    inviterId: int(row, "inviter_id"),
    affCount: Object.hasOwn(row, "aff_count") ? int(row, "aff_count") : undefined,
    affQuota: points(row, "aff_quota"),
    affHistory: points(row, "aff_history"),
    language: languageOf(record(parseJson(text(row, "setting")))["language"]),
    lastLoginTime: seconds(row, "last_login_time") ?? seconds(row, "last_login_at"),
    lastLoginIp: truncateText(text(row, "last_login_ip"), 64),
    createdTime: seconds(row, "created_time") ?? seconds(row, "created_at"),
    deletedAt: deletion(row) ?? (status === 3 ? now : undefined),
    identities: identitiesOf(row, id, book),
  };
}

const limits32 = new Set([2n ** 31n - 1n, -(2n ** 31n), -(2n ** 31n) + 1n]);

/** Throws for a balance that is not a number: only the operator knows what it is to be. */
function checkNumbers(row: SourceRow, id: number, book: ReadContext["book"]): void {
  for (const column of ["quota", "used_quota", "aff_quota", "aff_history"]) {
    if (isUnreadable(row, column))
      throw new ImportRefusal(
        `User ${id} has ${JSON.stringify(truncateText(text(row, column), 40))} in ${column}, which is not a number. Nothing was changed. ` +
          "Correct it in a copy of the old database, and run the command with the copy.",
      );
    if (limits32.has(points(row, column))) book.attention("number_clamped", `user ${id}: ${column}`);
  }
}

function roleOf(role: number): number {
  if (role >= Role.root) return Role.root;
  if (role >= Role.admin) return Role.admin;
  return role === Role.reliable ? Role.reliable : Role.user;
}

function languageOf(language: unknown): string {
  const known: Record<string, string> = {
    en: "en_US",
    ja: "ja_JP",
    zh: "zh_CN",
    "zh-CN": "zh_CN",
    "zh-TW": "zh_HK",
  };
  return typeof language === "string" ? (known[language] ?? "") : "";
}

function identitiesOf(row: SourceRow, id: number, book: ReadContext["book"]): UserRecord["identities"] {
  const identities: UserRecord["identities"] = [];
  const add = (provider: string, subject: string, label = "") => {
    if (subject !== "" && subject !== "0")
      identities.push({ provider, subject: truncateText(subject, 255), label: truncateText(label, 255) });
  };
  const number = text(row, "github_id_new").trim();
  const login = text(row, "github_id").trim();
  if (/^[1-9]\d*$/.test(number)) add("github", number, login);
  else if (/^[1-9]\d*$/.test(login)) add("github", login);
  else if (login !== "") book.attention("github_login_only", `user ${id}`);
  add("lark", text(row, "lark_id").trim());
  add("wechat", text(row, "wechat_id").trim());
  add("oidc", text(row, "oidc_id").trim());
  add("telegram", text(row, "telegram_id").trim());
  for (const [column, name] of [
    ["discord_id", "Discord"],
    ["linux_do_id", "LINUX DO"],
  ] as const)
    if (text(row, column).trim() !== "") book.attention("sign_in_lost", `user ${id}`, { provider: name });
  return identities;
}

/** One Hub keeps bytes, New API base64. */
export async function* readPasskeys(context: ReadContext, table: string): AsyncGenerator<PasskeyRecord> {
  if (!context.source.columns.has(table)) return;
  for await (const row of context.source.rows({ table, orderBy: "id" })) {
    if (deletion(row) !== undefined) continue;
    context.book.read("passkeys");
    const credentialId = bytes(row, "credential_id") ?? base64(text(row, "credential_id"));
    const publicKey = bytes(row, "public_key") ?? base64(text(row, "public_key"));
    if (credentialId === undefined || publicKey === undefined) {
      context.book.skip("passkeys", "passkey_unreadable", `id ${int(row, "id")}`);
      continue;
    }
    const transports = parseJson(text(row, "transports"));
    yield {
      userId: int(row, "user_id"),
      credentialId,
      publicKey,
      alias: truncateText(text(row, "alias"), 255),
      signCount: points(row, "sign_count"),
      backedUp: flag(row, "backup_state"),
      transports: Array.isArray(transports) ? transports.filter((each) => typeof each === "string") : [],
      createdTime: seconds(row, "created_time") ?? stamp(row, "created_at"),
      lastUsed: stamp(row, "last_used_at"),
    };
  }
}

function base64(value: string): Uint8Array<ArrayBuffer> | undefined {
  const decoded = Buffer.from(value, "base64");
  return decoded.length === 0 ? undefined : Uint8Array.from(decoded);
}

export async function* readSecondFactors(context: ReadContext): AsyncGenerator<SecondFactorRecord> {
  if (!context.source.columns.has("two_fas")) return;
  for await (const row of context.source.rows({ table: "two_fas", orderBy: "id" })) {
    if (deletion(row) !== undefined || !flag(row, "is_enabled")) continue;
    context.book.read("second_factors");
    const secret = decode(text(row, "secret"));
    if (secret === undefined) {
      context.book.skip("second_factors", "second_factor_unreadable", `user ${int(row, "user_id")}`);
      continue;
    }
    context.book.attention("recovery_codes", `user ${int(row, "user_id")}`);
    yield { userId: int(row, "user_id"), secret };
  }
}
