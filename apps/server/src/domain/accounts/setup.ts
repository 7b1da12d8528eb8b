/**
 * The first account of an installation: created through a one-time link that the server prints, or from the
 * environment. There is no default password, and set-up is closed once a root account exists.
 */
import { Role } from "@gateway/shared/accounts/roles";
import { reasonOf } from "@gateway/shared/reasons";
import { type Actor, writeAudit, systemActor } from "#domain/audit-log/audit.ts";
import { credit } from "#domain/ledger/balances/credit.ts";
import { GatewayError } from "#errors.ts";
import { currentTime } from "#platform/clock.ts";
import { advisoryLocks } from "#platform/database/advisory-locks.ts";
import type { Db } from "#platform/database/db.ts";
import type { Prisma, PrismaClient, User } from "#platform/prisma/client.ts";
import { randomText, sameSecret, type Secrets } from "#platform/secrets.ts";
import { requireFreeName } from "./new-user.ts";
import { hashPassword } from "./sign-in/passwords.ts";

/** Initial balance of the first root account, in points. */
const ROOT_GIFT = 100_000_000n;
const PURPOSE = "setup";
const SETUP_HOURS = 24;

export async function hasRoot(db: Db): Promise<boolean> {
  return (await db.user.findFirst({ where: { role: Role.root }, select: { id: true } })) !== null;
}

/**
 * Creates the token of a set-up link, valid for a day. Returns undefined if root exists. Links of other nodes
 * stay valid.
 */
export async function issueSetupToken(db: Db, secrets: Secrets): Promise<string | undefined> {
  if (await hasRoot(db)) return undefined;
  const now = currentTime().getTime();
  await db.oneTimeCode.deleteMany({ where: { purpose: PURPOSE, expires_at: { lt: new Date(now) } } });
  const token = randomText(43);
  await db.oneTimeCode.create({
    data: {
      purpose: PURPOSE,
      subject: randomText(16),
      code_hash: secrets.hash(token),
      expires_at: new Date(now + SETUP_HOURS * 3_600_000),
    },
  });
  return token;
}

/**
 * Creates the root account with a set-up token. Throws `setup_done`, or `wrong_credentials` for an invalid
 * token.
 */
export async function setUp(
  db: PrismaClient,
  secrets: Secrets,
  input: { token: string; username: string; password: string; ip: string },
): Promise<User> {
  if (await hasRoot(db)) throw setupDone();
  await requireLink(db, secrets, input.token);
  const passwordHash = await hashPassword(input.password);
  return db.$transaction(async (tx) => {
    const actor = { ...systemActor, username: input.username, ip: input.ip };
    const user = await createRoot(tx, { username: input.username, passwordHash, actor });
    await tx.oneTimeCode.deleteMany({ where: { purpose: PURPOSE } });
    return user;
  });
}

/** Checks that a set-up token can be used. Throws the errors of `setUp`. */
export async function checkSetupToken(db: Db, secrets: Secrets, token: string): Promise<void> {
  if (await hasRoot(db)) throw setupDone();
  await requireLink(db, secrets, token);
}

/**
 * Checks a set-up token. The token has 256 random bits, so attempts are not counted: wrong tokens must not
 * invalidate the link. The rate limit of the route still applies.
 */
async function requireLink(db: Db, secrets: Secrets, token: string): Promise<void> {
  const open = await db.oneTimeCode.findMany({
    where: { purpose: PURPOSE, expires_at: { gt: currentTime() } },
  });
  const presented = secrets.hash(token);
  if (open.some((code) => sameSecret(code.code_hash, presented))) return;
  throw new GatewayError("wrong_credentials", { reason: "setup_link_invalid" });
}

/**
 * Creates root from the environment if none exists. Returns whether it did. An existing root is not changed.
 */
export async function ensureRoot(
  db: PrismaClient,
  secrets: Secrets,
  input: { username: string; password: string; accessToken?: string },
): Promise<boolean> {
  if (await hasRoot(db)) return false;
  const passwordHash = await hashPassword(input.password);
  try {
    await db.$transaction(async (tx) => {
      const extra =
        input.accessToken === undefined ? {} : { access_token_hash: secrets.hash(input.accessToken) };
      await createRoot(tx, { username: input.username, passwordHash, actor: systemActor, extra });
      await tx.oneTimeCode.deleteMany({ where: { purpose: PURPOSE } });
    });
    return true;
  } catch (error) {
    // Another node created the account first.
    if (error instanceof GatewayError && error.code === "setup_done") return false;
    throw error;
  }
}

interface NewRoot {
  username: string;
  passwordHash: string;
  actor: Actor;
  extra?: Pick<Prisma.UserUncheckedCreateInput, "access_token_hash">;
}

async function createRoot(tx: Prisma.TransactionClient, root: NewRoot): Promise<User> {
  await tx.$executeRaw`SELECT pg_advisory_xact_lock(${advisoryLocks.makeRoot})`;
  if (await hasRoot(tx)) throw setupDone();
  await requireFreeName(tx, root.username);
  const user = await tx.user.create({
    data: {
      ...root.extra,
      username: root.username,
      display_name: root.username,
      password_hash: root.passwordHash,
      role: Role.root,
      aff_code: randomText(8),
    },
  });
  await credit(tx, {
    userId: user.id,
    kind: "gift",
    amount: ROOT_GIFT,
    reference: `root:${user.id}`,
    reason: reasonOf("initialRootBalance"),
  });
  await writeAudit(tx, {
    actor: { ...root.actor, id: user.id },
    action: "user.setup",
    targetType: "user",
    targetId: user.id,
    after: { username: user.username, role: user.role },
  });
  return tx.user.findUniqueOrThrow({ where: { id: user.id } });
}

function setupDone(): GatewayError {
  return new GatewayError("setup_done");
}
