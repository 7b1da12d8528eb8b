/**
 * Passkeys: one key pair per device, chosen by the device itself. The device verifies its user by
 * fingerprint, face or PIN, so a passkey counts as both factors.
 */
import type { PasskeyAssertion, PasskeyRegistration } from "@gateway/shared/accounts/passkey";
import {
  type AuthenticatorTransport,
  generateAuthenticationOptions,
  generateRegistrationOptions,
  type PublicKeyCredentialCreationOptionsJSON,
  type PublicKeyCredentialRequestOptionsJSON,
  verifyAuthenticationResponse,
  verifyRegistrationResponse,
} from "@simplewebauthn/server";
import { isEnabled, lockUser, userDisabled } from "#domain/accounts/users.ts";
import { type Actor, writeAudit } from "#domain/audit-log/audit.ts";
import { conflict, forbidden, GatewayError, notFound } from "#errors.ts";
import { currentTime } from "#platform/clock.ts";
import type { Db } from "#platform/database/db.ts";
import type { Passkey, PrismaClient, User } from "#platform/prisma/client.ts";
import type { Secrets } from "#platform/secrets.ts";
import { type OfferedMethods, requireOtherMethod } from "./sign-in-methods.ts";

const CHALLENGE_MINUTES = 5;
const MOST_PER_USER = 20;

/** Location of the browser: the origin of the page, and its host without a port. */
export interface RelyingParty {
  origin: string;
  rpId: string;
}

/** Returns the options to create a passkey on the current device. */
export async function beginRegistration(
  db: Db,
  secrets: Secrets,
  { user, place, siteName }: { user: User; place: RelyingParty; siteName: string },
): Promise<PublicKeyCredentialCreationOptionsJSON> {
  const own = await db.passkey.findMany({ where: { user_id: user.id } });
  if (own.length >= MOST_PER_USER) throw tooMany();
  const options = await generateRegistrationOptions({
    rpName: siteName,
    rpID: place.rpId,
    userID: new Uint8Array(Buffer.from(String(user.id))),
    userName: user.username,
    userDisplayName: user.display_name,
    attestationType: "none",
    excludeCredentials: own.map((passkey) => ({ id: idOf(passkey), transports: passkey.transports })),
    authenticatorSelection: { residentKey: "required", userVerification: "required" },
  });
  await keepChallenge(db, secrets, options.challenge, "passkey-add", user.id);
  return options;
}

/**
 * Stores the passkey that the device created. Throws `forbidden`, or `conflict` for a passkey that is already
 * known and for one too many.
 */
export async function finishRegistration(
  db: PrismaClient,
  secrets: Secrets,
  {
    actor,
    place,
    answer,
  }: { actor: Actor & { id: number }; place: RelyingParty; answer: PasskeyRegistration },
): Promise<Passkey> {
  const checked = await verifyOrRefuse(() =>
    verifyRegistrationResponse({
      response: { ...answer, response: { ...answer.response, transports: transportsOf(answer) } },
      expectedChallenge: (challenge) => spendChallenge(db, secrets, challenge, "passkey-add", actor.id),
      expectedOrigin: place.origin,
      expectedRPID: place.rpId,
      requireUserVerification: true,
    }),
  );
  if (!checked.verified) throw notConfirmed();
  const { credential, credentialBackedUp } = checked.registrationInfo;
  const alias = answer.alias === "" ? `Passkey ${currentTime().toISOString().slice(0, 10)}` : answer.alias;
  return db.$transaction(async (tx) => {
    // Several registrations may have begun with the same number of passkeys.
    await lockUser(tx, actor.id);
    if ((await tx.passkey.count({ where: { user_id: actor.id } })) >= MOST_PER_USER) throw tooMany();
    const { count } = await tx.passkey.createMany({
      data: {
        user_id: actor.id,
        credential_id: new Uint8Array(Buffer.from(credential.id, "base64url")),
        public_key: new Uint8Array(credential.publicKey),
        alias,
        sign_count: BigInt(credential.counter),
        transports: transportsOf(answer),
        backed_up: credentialBackedUp,
      },
      skipDuplicates: true,
    });
    if (count === 0) throw conflict({ reason: "passkey_taken" });
    await writeAudit(tx, {
      actor,
      action: "user.passkey_add",
      targetType: "user",
      targetId: actor.id,
      after: { alias },
    });
    return tx.passkey.findUniqueOrThrow({
      where: { credential_id: new Uint8Array(Buffer.from(credential.id, "base64url")) },
    });
  });
}

/** Returns the options for signing in. The device knows which passkeys it has for this site. */
export async function beginSignIn(
  db: Db,
  secrets: Secrets,
  place: RelyingParty,
): Promise<PublicKeyCredentialRequestOptionsJSON> {
  const options = await generateAuthenticationOptions({ rpID: place.rpId, userVerification: "required" });
  await keepChallenge(db, secrets, options.challenge, "passkey-login", 0);
  return options;
}

/** Returns the owner of the passkey. Throws `forbidden` if it cannot be verified, and `user_disabled`. */
export async function finishSignIn(
  db: PrismaClient,
  secrets: Secrets,
  { place, answer }: { place: RelyingParty; answer: PasskeyAssertion },
): Promise<User> {
  const credential_id = new Uint8Array(Buffer.from(answer.id, "base64url"));
  const known = await db.passkey.findUnique({ where: { credential_id }, include: { user: true } });
  if (known === null) throw notConfirmed();
  const { user, ...passkey } = known;
  const { userHandle, ...response } = answer.response;
  const checked = await verifyOrRefuse(() =>
    verifyAuthenticationResponse({
      response: { ...answer, response: userHandle === undefined ? response : { ...response, userHandle } },
      expectedChallenge: (challenge) => spendChallenge(db, secrets, challenge, "passkey-login", 0),
      expectedOrigin: place.origin,
      expectedRPID: place.rpId,
      credential: {
        id: idOf(passkey),
        publicKey: new Uint8Array(passkey.public_key),
        counter: Number(passkey.sign_count),
      },
      requireUserVerification: true,
    }),
  );
  if (!checked.verified) throw notConfirmed();
  const { newCounter, credentialBackedUp } = checked.authenticationInfo;
  // Two responses with the same counter come from a copied key: the second is rejected.
  const { count } = await db.passkey.updateMany({
    where: { id: passkey.id, sign_count: passkey.sign_count },
    data: { sign_count: BigInt(newCounter), backed_up: credentialBackedUp, last_used: currentTime() },
  });
  if (count === 0) throw notConfirmed();
  if (!isEnabled(user) || user.deleted_at !== null) throw userDisabled();
  return user;
}

export async function listPasskeys(db: Db, userId: number): Promise<Passkey[]> {
  return db.passkey.findMany({ where: { user_id: userId }, orderBy: { id: "asc" } });
}

/** Renames a passkey. Throws `not_found`. */
export async function renamePasskey(db: Db, userId: number, id: number, alias: string): Promise<void> {
  const { count } = await db.passkey.updateMany({ where: { id, user_id: userId }, data: { alias } });
  if (count === 0) throw notFound({ reason: "passkey_not_found" });
}

/** Deletes a passkey. Throws `not_found`, or `conflict` if it is the only sign-in method. */
export async function removePasskey(
  db: PrismaClient,
  actor: Actor & { id: number },
  id: number,
  methods: OfferedMethods,
): Promise<void> {
  await db.$transaction(async (tx) => {
    const user = await lockUser(tx, actor.id);
    const passkey = await tx.passkey.findFirst({ where: { id, user_id: actor.id } });
    if (passkey === null) throw notFound({ reason: "passkey_not_found" });
    await requireOtherMethod(tx, user, { passkey: id }, methods);
    await tx.passkey.delete({ where: { id } });
    await writeAudit(tx, {
      actor,
      action: "user.passkey_remove",
      targetType: "user",
      targetId: actor.id,
      before: { alias: passkey.alias },
    });
  });
}

async function keepChallenge(
  db: Db,
  secrets: Secrets,
  challenge: string,
  purpose: string,
  userId: number,
): Promise<void> {
  await db.oneTimeCode.create({
    data: {
      purpose,
      subject: subjectOf(secrets, challenge),
      code_hash: secrets.hash(`${purpose}:${userId}`),
      expires_at: new Date(currentTime().getTime() + CHALLENGE_MINUTES * 60_000),
    },
  });
}

/** Consumes a challenge. Each response consumes it, whether valid or not. */
async function spendChallenge(
  db: Db,
  secrets: Secrets,
  challenge: string,
  purpose: string,
  userId: number,
): Promise<boolean> {
  const { count } = await db.oneTimeCode.deleteMany({
    where: {
      purpose,
      subject: subjectOf(secrets, challenge),
      code_hash: secrets.hash(`${purpose}:${userId}`),
      expires_at: { gt: currentTime() },
    },
  });
  return count === 1;
}

function subjectOf(secrets: Secrets, challenge: string): string {
  return Buffer.from(secrets.hash(`passkey:${challenge}`)).toString("hex");
}

function idOf(passkey: Pick<Passkey, "credential_id">): string {
  return Buffer.from(passkey.credential_id).toString("base64url");
}

function transportsOf(answer: PasskeyRegistration): AuthenticatorTransport[] {
  const known = new Set<string>(["ble", "cable", "hybrid", "internal", "nfc", "smart-card", "usb"]);
  const named = answer.response.transports ?? [];
  return named.filter((each): each is AuthenticatorTransport => known.has(each));
}

/** Converts errors of the library, which throws for every invalid response, to one error for the client. */
async function verifyOrRefuse<T>(check: () => Promise<T>): Promise<T> {
  try {
    return await check();
  } catch (error) {
    throw error instanceof GatewayError ? error : notConfirmed(error);
  }
}

function tooMany(): GatewayError {
  return conflict({ reason: "too_many_passkeys", most: MOST_PER_USER });
}

function notConfirmed(cause?: unknown): GatewayError {
  if (cause === undefined) return forbidden({ reason: "passkey_not_confirmed" });
  return forbidden({ reason: "passkey_not_confirmed" }, { cause });
}
