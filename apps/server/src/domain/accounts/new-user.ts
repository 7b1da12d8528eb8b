/** Account creation, shared by sign-up and administration, which have their own rules. */
import { Role } from "@gateway/shared/accounts/roles";
import { type Reason, reasonOf } from "@gateway/shared/reasons";
import type { Settings } from "@gateway/shared/site/settings";
import { z } from "zod";
import { credit } from "#domain/ledger/balances/credit.ts";
import { conflict, GatewayError } from "#errors.ts";
import { networkOf } from "#platform/http/network-of.ts";
import type { Prisma, User } from "#platform/prisma/client.ts";
import { randomText } from "#platform/secrets.ts";
import { emailTakenError } from "./email.ts";
import { takeAttempt } from "./sign-in/pace.ts";

const AFF_CODE_LENGTH = 8;

export interface NewUser {
  username: string;
  /** Null for a user who signs in without a password. */
  passwordHash: string | null;
  displayName: string;
  group?: string;
  role?: number;
  inviterId?: number;
}

/** Inserts a user. Throws `conflict` for a name that is taken, in any case or spelling. */
export async function insertUser(tx: Prisma.TransactionClient, input: NewUser): Promise<User> {
  await requireFreeName(tx, input.username);
  try {
    return await tx.user.create({
      data: {
        username: input.username,
        password_hash: input.passwordHash,
        display_name: input.displayName === "" ? input.username : input.displayName,
        group: input.group ?? "default",
        role: input.role ?? Role.user,
        inviter_id: input.inviterId ?? null,
        aff_code: randomText(AFF_CODE_LENGTH),
      },
    });
  } catch (error) {
    throw explainDuplicate(error);
  }
}

/** Converts a duplicate error: a concurrent request took the name or the email address after the check. */
export function explainDuplicate(error: unknown): unknown {
  const index = duplicateIn(error);
  if (index === undefined) return error;
  return index === "users_email_key" ? emailTakenError() : nameTaken();
}

/** @param exceptId an account that may keep its name */
export async function requireFreeName(
  tx: Prisma.TransactionClient,
  username: string,
  exceptId = 0,
): Promise<void> {
  const taken = await tx.$queryRaw<unknown[]>`
    SELECT 1 FROM users WHERE user_name_key(username) = user_name_key(${username}) AND id <> ${exceptId} LIMIT 1`;
  if (taken.length > 0) throw nameTaken();
}

export interface Gifts {
  /** In points, as are the next two. */
  newUser: number;
  invitee: number;
  inviter: number;
}

const DAY_MS = 86_400_000;
const GIFT_NETWORK = { ipv4: 24, ipv6: 64 };

/**
 * Returns the gifts of a sign-up from this address. They are 0 if its network has used up its gifts: such a
 * sign-up still succeeds.
 */
export async function computeSignUpGifts(
  tx: Prisma.TransactionClient,
  ip: string,
  rules: Pick<Settings, "QuotaForNewUser" | "QuotaForInvitee" | "QuotaForInviter" | "GiftsPerNetworkPerDay">,
): Promise<Gifts> {
  const { QuotaForNewUser: newUser, QuotaForInvitee: invitee, QuotaForInviter: inviter } = rules;
  const burst = rules.GiftsPerNetworkPerDay;
  if (burst === 0 || newUser + invitee + inviter === 0) return { newUser, invitee, inviter };
  try {
    const pace = { burst, everyMs: Math.ceil(DAY_MS / burst), reason: "too_many_gifts" as const };
    await takeAttempt(tx, "sign-up-gift", networkOf(ip, GIFT_NETWORK), pace);
    return { newUser, invitee, inviter };
  } catch (error) {
    if (error instanceof GatewayError && error.code === "rate_limit_exceeded")
      return { newUser: 0, invitee: 0, inviter: 0 };
    throw error;
  }
}

/** Credits the gifts of a new account and its inviter. Call it once, in the transaction that inserts the account. */
export async function giveGifts(tx: Prisma.TransactionClient, user: User, gifts: Gifts): Promise<void> {
  const give = (
    userId: number,
    kind: "gift" | "invite",
    { amount, reference, reason }: { amount: number; reference: string; reason: Reason },
  ) =>
    amount > 0
      ? credit(tx, { userId, kind, amount: BigInt(amount), reference, reason })
      : Promise.resolve(undefined);

  await give(user.id, "gift", {
    amount: gifts.newUser,
    reference: `new-user:${user.id}`,
    reason: reasonOf("newAccountGift"),
  });
  if (user.inviter_id === null) return;
  await give(user.id, "invite", {
    amount: gifts.invitee,
    reference: `invitee:${user.id}`,
    reason: reasonOf("inviteCodeGift"),
  });
  await give(user.inviter_id, "invite", {
    amount: gifts.inviter,
    reference: `inviter:${user.id}`,
    reason: reasonOf("invited", { name: user.username }),
  });
  await tx.user.update({
    where: { id: user.inviter_id },
    data: {
      aff_count: { increment: 1 },
      aff_quota: { increment: BigInt(gifts.inviter) },
      aff_history: { increment: BigInt(gifts.inviter) },
    },
  });
}

function nameTaken() {
  return conflict({ reason: "username_taken" }, { field: "username" });
}

const Duplicate = z.object({
  code: z.literal("P2002"),
  meta: z.object({
    driverAdapterError: z.object({ cause: z.object({ constraint: z.object({ index: z.string() }) }) }),
  }),
});

/** Returns the name of the unique index that an insert or update would have violated. */
function duplicateIn(error: unknown): string | undefined {
  return Duplicate.safeParse(error).data?.meta.driverAdapterError.cause.constraint.index;
}
