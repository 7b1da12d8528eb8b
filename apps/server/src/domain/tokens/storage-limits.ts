import { Role } from "@gateway/shared/accounts/roles";
import type { TokenSetting } from "@gateway/shared/accounts/token";
import { takeAttempt } from "#domain/accounts/pace.ts";
import { conflict, invalidRequest } from "#errors.ts";
import type { Db } from "#platform/database/db.ts";

/** Limits of what an account may store in its tokens. Storing costs nothing, so it needs no balance. */

interface Owner {
  id: number;
  role: number;
}

/** Tokens that are not deleted. */
const mostTokens = 10_000;
/** Characters of the models and addresses of one token. */
const mostListed = 16_384;
const purpose = "token-change";
const pace = { burst: 2_000, everyMs: 10_000, reason: "too_many_changes" } as const;

/** Counts a change of a token. Throws `rate_limit_exceeded`. Deleting and disabling are not counted. */
export async function countChange(db: Db, { id, role }: Owner): Promise<void> {
  if (role < Role.admin) await takeAttempt(db, purpose, String(id), pace);
}

/** Throws `conflict` when the account has as many tokens as it may have. Call it after `countChange`, which locks. */
export async function requireTokenSpace(db: Db, { id, role }: Owner): Promise<void> {
  if (role >= Role.admin) return;
  const tokens = await db.token.count({ where: { user_id: id, deleted_at: null } });
  if (tokens >= mostTokens) throw conflict({ reason: "too_many_tokens", most: mostTokens });
}

/** Throws `invalid_request` for lists that are too long together. */
export function requireShortLists({ limits }: TokenSetting): void {
  const lists = [limits.limit_model_setting.models, limits.limits_ip_setting.whitelist];
  const letters = lists.flat().reduce((sum, entry) => sum + entry.length, 0);
  if (letters <= mostListed) return;
  throw invalidRequest({ reason: "token_lists_too_long", most: mostListed }, { field: "setting" });
}
