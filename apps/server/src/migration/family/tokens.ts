import { TokenSetting } from "@gateway/shared/accounts/token";
import type { ReadContext } from "#migration/products/product.ts";
import type { TokenRecord } from "#migration/records.ts";
import { truncateText, deletion, flag, int, list, points, seconds, text, whole } from "#migration/row.ts";
import type { SourceRow } from "#migration/sources/source.ts";

export interface TokenRules {
  /** Whether the old gateway could find such a key. */
  accepts(key: string): boolean;
  setting(row: SourceRow): { setting: TokenSetting; isNarrower: boolean };
  /** `isRefused`: the old gateway let no call of the key through, because its owner may not use the group. */
  groups(row: SourceRow): { group: string; backupGroup: string; isRefused?: boolean };
  billingTag(row: SourceRow): string;
}

/** What can be presented here. */
const presentable = /^[\w-]{20,128}$/;

export async function* readTokens(context: ReadContext, rules: TokenRules): AsyncGenerator<TokenRecord> {
  for await (const row of context.source.rows({ table: "tokens", orderBy: "id" })) {
    context.book.read("tokens");
    const token = tokenOf(row, context, rules);
    if (token !== undefined) yield token;
  }
}

function tokenOf(row: SourceRow, { book, now }: ReadContext, rules: TokenRules): TokenRecord | undefined {
  const id = int(row, "id");
  const key = text(row, "key").trim().replace(/^sk-/, "");
  if (id <= 0 || key === "") {
    book.skip("tokens", "token_without_key", `token ${id}`);
    return undefined;
  }
  const ends = whole(row, "expired_time");
  const expiredTime = ends === -1 ? null : (seconds(row, "expired_time") ?? new Date(0));
  const unlimited = flag(row, "unlimited_quota");
  const remain = points(row, "remain_quota");
  const isOver = (expiredTime !== null && expiredTime <= now) || (!unlimited && remain <= 0n);
  const { setting, isNarrower } = rules.setting(row);
  const stored = int(row, "status");
  let status = stored === 1 || (stored > 2 && isOver) ? 1 : 2;
  if (stored > 2 && !isOver) book.attention("token_marked_over", `token ${id}`);
  if (!presentable.test(key) || !rules.accepts(key)) {
    status = 2;
    book.attention("token_dead", `token ${id}`);
  }
  const { group, backupGroup, isRefused = false } = rules.groups(row);
  if (isRefused) {
    status = 2;
    book.attention("token_group_refused", `token ${id}`);
  }
  if (isNarrower) {
    status = 2;
    book.attention("token_limits_cut", `token ${id}`);
  }
  return {
    id,
    userId: int(row, "user_id"),
    key,
    name: truncateText(text(row, "name"), 64).trim() || `token ${id}`,
    status,
    createdTime: seconds(row, "created_time"),
    accessedTime: seconds(row, "accessed_time"),
    expiredTime,
    unlimited,
    remain,
    used: points(row, "used_quota"),
    group,
    backupGroup,
    setting,
    billingTag: truncateText(rules.billingTag(row), 50),
    deletedAt: deletion(row),
    worked: status === 1 && !isOver && deletion(row) === undefined,
  };
}

/** Families whose models New API compares by such a name. */
const folded = /-(?:gizmo|thinking)-\*$/;

/** A list that restricts a key; undefined where the key has none. An empty one lets nothing through. */
export type Restriction = readonly string[] | undefined;

/** A setting with these limits; `isNarrower` says that something was lost that restricted the key. */
export function limitsOf(models: Restriction, addresses: Restriction, heartbeat?: unknown) {
  // The other gateways compare whole names. Here a star at the end would stand for every name that begins so.
  const named = models?.filter((model) => !model.endsWith("*") || folded.test(model));
  const kept = named?.filter((model) => model.length <= 160).slice(0, 500);
  const whitelist = addresses?.filter((entry) => entry.length <= 64).slice(0, 200);
  const parsed = TokenSetting.safeParse({
    ...(heartbeat === undefined ? {} : { heartbeat }),
    limits: {
      limit_model_setting: { enabled: kept !== undefined, models: kept ?? [] },
      limits_ip_setting: { enabled: whitelist !== undefined, whitelist: whitelist ?? [] },
    },
  });
  return {
    setting: parsed.data ?? TokenSetting.parse({}),
    isNarrower: !parsed.success || isCut(kept, named) || isCut(whitelist, addresses),
  };
}

function isCut(kept: Restriction, given: Restriction): boolean {
  return kept !== undefined && (kept.length === 0 || kept.length < (given?.length ?? 0));
}

/** A list in a column, where an empty column means that there is none. */
export function restriction(written: string, separator: string | RegExp = ","): Restriction {
  return written.trim() === "" ? undefined : list(written, separator);
}
