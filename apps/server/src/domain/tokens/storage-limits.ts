/** Limits of what an account may store in its tokens. Storing costs nothing, so it needs no balance. */
import { Role } from "@gateway/shared/accounts/roles";
import type { TokenSetting } from "@gateway/shared/accounts/token";
import { takeAttempt } from "#domain/accounts/sign-in/pace.ts";
import { conflict, GatewayError, invalidRequest } from "#errors.ts";
import type { Db } from "#platform/database/db.ts";
import type { Prisma, PrismaClient } from "#platform/prisma/client.ts";
import { createTurns } from "#platform/turns.ts";

interface Owner {
  id: number;
  role: number;
}

/** Changes of tokens of one account that run at once, and that wait, on this node. */
const atOnce = 2;
const mostWaiting = 100;
const turns = createTurns<number | string>(
  atOnce,
  mostWaiting,
  () => new GatewayError("rate_limit_exceeded", { reason: "too_many_changes" }, { retryAfter: 1 }),
);

/**
 * Changes tokens in a transaction. Those of one account wait for each other before they take a connection:
 * all of them lock its rows, and waiting there would occupy the connections of all users else.
 * @param owner id of the account, or the code of a device that has none yet
 */
export function changeInTurn<Result>(
  db: PrismaClient,
  owner: number | string,
  change: (tx: Prisma.TransactionClient) => Promise<Result>,
): Promise<Result> {
  return turns.run(owner, () => db.$transaction(change));
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
