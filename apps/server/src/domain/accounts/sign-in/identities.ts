/**
 * External identities that can sign in to an account. They are linked by the provider's subject id, or by a
 * signed-in user. They are never linked by an email address or name, which anyone may claim.
 */
import { randomInt } from "node:crypto";
import type { IdentityProviderKey } from "@gateway/shared/accounts/sign-in";
import { Username } from "@gateway/shared/accounts/user-name";
import type { Settings } from "@gateway/shared/site/settings";
import { computeSignUpGifts, giveGifts, insertUser } from "#domain/accounts/new-user.ts";
import { findInviter } from "#domain/accounts/registration.ts";
import { isEnabled, lockUser, userDisabled } from "#domain/accounts/users.ts";
import { type Actor, writeAudit } from "#domain/audit-log/audit.ts";
import { conflict, forbidden, GatewayError, notFound } from "#errors.ts";
import type { Db } from "#platform/database/db.ts";
import { isDuplicate } from "#platform/database/duplicate.ts";
import type { Identity, Prisma, PrismaClient, User } from "#platform/prisma/client.ts";
import type { ExternalIdentity } from "#sign-in/provider.ts";
import { type OfferedMethods, requireOtherMethod } from "./sign-in-methods.ts";

export interface Arriving {
  provider: IdentityProviderKey;
  identity: ExternalIdentity;
}

/** Telegram is not a sign-in method, so a Telegram identity can only be linked. */
type Binding = Omit<Arriving, "provider"> & { provider: IdentityProviderKey | "telegram" };

/** Maximum number of names to try, including retries after a concurrent sign-up. */
const ROUNDS = 5;

type Rules = Pick<
  Settings,
  "RegisterEnabled" | "QuotaForNewUser" | "QuotaForInvitee" | "QuotaForInviter" | "GiftsPerNetworkPerDay"
>;

/**
 * Returns the account linked to this identity, or creates one. Throws `user_disabled`, or `forbidden` for an
 * unknown identity while sign-up is closed.
 */
export async function findOrCreateAccount(
  db: PrismaClient,
  arriving: Arriving,
  newcomer: { affCode: string; ip: string },
  rules: Rules,
): Promise<User> {
  for (let round = 1; ; round += 1) {
    const linked = await findLinked(db, arriving);
    if (linked !== undefined) return linked;
    if (!rules.RegisterEnabled) throw forbidden({ reason: "sign_up_closed" });
    try {
      const username = nameFor(arriving, round);
      return await db.$transaction((tx) => signUp(tx, arriving, { ...newcomer, username }, rules));
    } catch (error) {
      if (round === ROUNDS || !isTaken(error)) throw error;
    }
  }
}

async function findLinked(db: Db, { provider, identity }: Arriving): Promise<User | undefined> {
  const { subject } = identity;
  const found = await db.identity.findUnique({
    where: { provider_subject: { provider, subject } },
    include: { user: true },
  });
  if (found === null) return undefined;
  if (!isEnabled(found.user) || found.user.deleted_at !== null) throw userDisabled();
  const label = labelOf(identity);
  if (found.label !== label) await db.identity.updateMany({ where: { id: found.id }, data: { label } });
  return found.user;
}

async function signUp(
  tx: Prisma.TransactionClient,
  { provider, identity }: Arriving,
  newcomer: { username: string; affCode: string; ip: string },
  rules: Rules,
): Promise<User> {
  const inviterId = await findInviter(tx, newcomer.affCode);
  const user = await insertUser(tx, {
    username: newcomer.username,
    displayName: identity.displayName.trim().slice(0, 64),
    passwordHash: null,
    ...(inviterId === undefined ? {} : { inviterId }),
  });
  await link(tx, user.id, { provider, identity });
  await giveGifts(tx, user, await computeSignUpGifts(tx, newcomer.ip, rules));
  await writeAudit(tx, {
    actor: { id: user.id, username: user.username, ip: newcomer.ip },
    action: "user.register",
    targetType: "user",
    targetId: user.id,
    after: { username: user.username, inviter_id: user.inviter_id, provider },
  });
  const email = await freeEmail(tx, identity.email);
  return tx.user.update({ where: { id: user.id }, data: { email } });
}

/** Returns the address, or null if it already belongs to another account. */
async function freeEmail(tx: Db, email: string | null): Promise<string | null> {
  if (email === null || email.length > 254) return null;
  const own = email.toLowerCase();
  const taken = await tx.user.count({ where: { email: { equals: own, mode: "insensitive" } } });
  return taken === 0 ? own : null;
}

/** Links an identity to the signed-in user. Linking it again changes nothing. Throws `conflict`. */
export async function bindIdentity(db: PrismaClient, actor: Actor & { id: number }, arriving: Binding) {
  const { provider, identity } = arriving;
  try {
    await db.$transaction(async (tx) => {
      await lockUser(tx, actor.id);
      const { subject } = identity;
      const known = await tx.identity.findUnique({ where: { provider_subject: { provider, subject } } });
      if (known?.user_id === actor.id) return;
      if (known !== null) throw belongsToAnother();
      const own = await tx.identity.findFirst({ where: { user_id: actor.id, provider } });
      if (own !== null) {
        throw conflict({ reason: "provider_linked_already" });
      }
      await link(tx, actor.id, arriving);
      await writeAudit(tx, {
        actor,
        action: "user.bind",
        targetType: "user",
        targetId: actor.id,
        after: { provider, label: labelOf(identity) },
      });
    });
  } catch (error) {
    throw isDuplicate(error) ? belongsToAnother() : error;
  }
}

/**
 * Removes a link. Throws `not_found`, or `conflict` if the account would have no sign-in method left, or if the
 * provider manages the account: it could no longer be signed in to, nor disabled.
 */
export async function unbindIdentity(
  db: PrismaClient,
  actor: Actor & { id: number },
  provider: IdentityProviderKey,
  methods: OfferedMethods,
): Promise<void> {
  await db.$transaction(async (tx) => {
    const user = await lockUser(tx, actor.id);
    const bound = await tx.identity.findFirst({ where: { user_id: actor.id, provider } });
    if (bound === null) throw notFound({ reason: "binding_not_found" });
    const slug = provider.startsWith("oidc:") ? provider.slice("oidc:".length) : undefined;
    const managed =
      slug === undefined ? 0 : await tx.scimUser.count({ where: { user_id: user.id, provider: { slug } } });
    if (managed > 0) throw conflict({ reason: "provider_managed" });
    await requireOtherMethod(tx, user, { identity: bound.id }, methods);
    await tx.identity.delete({ where: { id: bound.id } });
    await writeAudit(tx, {
      actor,
      action: "user.unbind",
      targetType: "user",
      targetId: actor.id,
      before: { provider, label: bound.label },
    });
  });
}

export async function listIdentities(db: Db, userId: number): Promise<Identity[]> {
  return db.identity.findMany({ where: { user_id: userId }, orderBy: { provider: "asc" } });
}

async function link(tx: Db, userId: number, { provider, identity }: Binding): Promise<void> {
  const { subject } = identity;
  await tx.identity.create({ data: { user_id: userId, provider, subject, label: labelOf(identity) } });
}

function labelOf(identity: ExternalIdentity): string {
  return identity.label.slice(0, 255);
}

function nameFor({ provider, identity }: Arriving, round: number): string {
  return suggestUsername(identity.username, provider.replace(":", "-"), round);
}

/**
 * Returns the requested name if it is a valid user name here, and with a random number from the second round
 * on. @param instead start of the name if the requested one is not valid
 */
export function suggestUsername(requested: string, instead: string, round: number): string {
  const [wish = ""] = requested.normalize("NFKC").split("@");
  const name = wish.replace(/[^\p{L}\p{N}._-]/gu, "").slice(0, 48);
  const fits = Username.safeParse(name).success;
  const number = String(randomInt(1_000_000)).padStart(6, "0");
  return fits && round === 1 ? name : `${fits ? name : instead}_${number}`;
}

function belongsToAnother(): GatewayError {
  return conflict({ reason: "linked_to_another_user" });
}

/** Returns whether the name, the address or the identity was taken by a concurrent request. */
export function isTaken(error: unknown): boolean {
  return isDuplicate(error) || (error instanceof GatewayError && error.code === "conflict");
}
