import type { QueryResultRow } from "pg";
import { isKnownHash } from "#domain/accounts/sign-in/passwords.ts";
import { sealTotpSecret } from "#domain/accounts/sign-in/second-factor.ts";
import { largestAmount } from "#domain/ledger/balances/credit.ts";
import { insertOpeningUsers } from "#domain/ledger/balances/opening-balances.ts";
import type { PasskeyRecord, SecondFactorRecord, UserRecord } from "#migration/records.ts";
import { ImportRefusal } from "#migration/refusal.ts";
import { truncateText } from "#migration/row.ts";
import type { Db } from "#platform/database/db.ts";
import { randomText } from "#platform/secrets.ts";
import { jsonRows } from "./json-rows.ts";
import { inBatches, type WriteContext } from "./write-context.ts";

const affCodeLength = 8;
const longestEmail = 254;

export async function writeUsers(context: WriteContext, records: AsyncIterable<UserRecord>): Promise<void> {
  const { tx, run, book } = context;
  let countsInvited = false;
  await tx.$executeRawUnsafe(
    "CREATE TEMP TABLE import_inviters (user_id int, inviter_id int) ON COMMIT DROP",
  );
  await inBatches(context, "users", records, async (batch) => {
    const data: Awaited<ReturnType<typeof columnsOf>>[] = [];
    const taken = await takenValues(context, batch);
    for (const user of batch) requireAmounts(user);
    for (const user of batch) data.push(await columnsOf(context, user, taken));
    await insertOpeningUsers(run, jsonRows(data));
    countsInvited ||= batch.some((user) => user.affCount === undefined);
    await writeIdentities(context, batch);
    const waiting = batch.filter(({ inviterId }, index) => inviterId > 0 && data[index]?.inviter_id === null);
    if (waiting.length > 0)
      await tx.$executeRawUnsafe(
        "INSERT INTO import_inviters SELECT * FROM unnest($1::int[], $2::int[])",
        waiting.map((user) => user.id),
        waiting.map((user) => user.inviterId),
      );
    book.imported("users", batch.length);
  });
  await linkInviters(context);
  if (countsInvited)
    await tx.$executeRawUnsafe(
      `UPDATE users u SET aff_count = i.invited
       FROM (SELECT inviter_id AS id, count(*)::int AS invited FROM users WHERE inviter_id IS NOT NULL GROUP BY 1) i
       WHERE u.id = i.id`,
    );
}

/** Accounts of a source that does not know when they were made are as old as their first key. */
export async function dateUsers({ tx, now }: WriteContext): Promise<void> {
  await tx.$executeRawUnsafe(
    `UPDATE users u SET created_time = t.first
     FROM (SELECT user_id AS id, min(created_time) AS first FROM tokens GROUP BY 1) t
     WHERE u.id = t.id AND u.created_time = $1::timestamptz AND t.first < u.created_time`,
    now,
  );
}

/** A balance that this gateway cannot hold is not cut: the operator decides what it is to be. */
function requireAmounts({ id, quota, used }: UserRecord): void {
  for (const [column, points] of [
    ["quota", quota],
    ["used_quota", used],
  ] as const)
    if (points > largestAmount || points < -largestAmount)
      throw new ImportRefusal(
        `User ${id} has ${points} points in ${column}, and this gateway holds at most ${largestAmount}. Nothing was changed. ` +
          "Correct the number in a copy of the old database, and run the command with the copy.",
      );
}

async function columnsOf(
  { secrets, groups, book, now }: WriteContext,
  user: UserRecord,
  taken: EarlierAccounts,
) {
  const label = `user ${user.id}`;
  const isLive = user.deletedAt === undefined;
  const username = taken.names.get(user.id) ?? user.username;
  if (username !== user.username) book.attention("user_renamed", `${user.username} → ${username}`);
  const hash = isLive && isKnownHash(user.passwordHash) ? user.passwordHash : null;
  if (hash === null && isLive) book.attention("user_without_password", label);
  // What leads to an account that is deleted is deleted with it, here as well.
  const email = isLive ? claim(taken.emails, user.email.slice(0, longestEmail + 1)) : null;
  if (isLive && email === null && user.email !== "") book.attention("email_repeated", label);
  const access = isLive && user.accessToken !== "" ? secrets.hash(user.accessToken) : undefined;
  return {
    id: user.id,
    username,
    imported_username:
      isLive && username !== user.username ? claim(taken.oldNames, user.username.slice(0, 255)) : null,
    password_hash: hash,
    display_name: user.displayName,
    role: user.role,
    status: user.status,
    email: email !== null && email.length > longestEmail ? null : email,
    avatar_url: user.avatarUrl,
    group: (await groups.symbolOf(user.group)) || "default",
    quota: user.quota,
    used_quota: user.used < 0n ? 0n : user.used,
    request_count: user.requestCount < 0n ? 0n : user.requestCount,
    access_token_hash:
      access === undefined || claim(taken.accessTokens, hexOf(access)) === null ? null : access,
    aff_code: claim(taken.codes, user.affCode) ?? randomText(affCodeLength),
    inviter_id: user.inviterId !== user.id && taken.inviters.has(user.inviterId) ? user.inviterId : null,
    aff_count: Math.max(0, user.affCount ?? 0),
    aff_quota: user.affQuota,
    aff_history: user.affHistory,
    language: user.language,
    last_login_time: user.lastLoginTime ?? null,
    last_login_ip: user.lastLoginIp,
    created_time: user.createdTime ?? now,
    deleted_at: user.deletedAt ?? null,
    budget: user.budget ?? null,
  };
}

const hexOf = (hash: Uint8Array) => Buffer.from(hash).toString("hex");

/** Null for "" and for a value that someone has; else the value, which is then taken. */
function claim(taken: Set<string>, value: string): string | null {
  if (value === "" || taken.has(value)) return null;
  taken.add(value);
  return value;
}

/** What of a batch earlier accounts have. */
interface EarlierAccounts {
  /** Former names of renamed accounts. */
  oldNames: Set<string>;
  emails: Set<string>;
  codes: Set<string>;
  /** Hashes, in hexadecimal. */
  accessTokens: Set<string>;
  /** Accounts that can be named as the inviter: those of this batch, and earlier ones. */
  inviters: Set<number>;
  /** Names by user id. */
  names: Map<number, string>;
}

interface ExistingValues {
  emails: string[];
  codes: string[];
  access: string[];
  inviters: number[];
  /** Key of each name, in the order of the batch, and whether the earlier account that has it is live; null for none. */
  names: { key: string; live: boolean | null }[];
}

async function takenValues(
  { tx, run, secrets }: WriteContext,
  batch: readonly UserRecord[],
): Promise<EarlierAccounts> {
  const {
    rows: [found],
  } = await run<ExistingValues & QueryResultRow>(
    `SELECT ARRAY(SELECT email FROM users WHERE email = ANY($1::text[])) AS emails,
       ARRAY(SELECT aff_code FROM users WHERE aff_code = ANY($2::text[])) AS codes,
       ARRAY(SELECT encode(access_token_hash, 'hex') FROM users WHERE access_token_hash = ANY($3::bytea[])) AS access,
       ARRAY(SELECT id FROM users WHERE id = ANY($4::int[])) AS inviters,
       (SELECT json_agg(json_build_object('key', k.key, 'live', CASE WHEN u.id IS NULL THEN NULL ELSE u.deleted_at IS NULL END) ORDER BY n.place)
        FROM unnest($5::text[]) WITH ORDINALITY n(name, place) CROSS JOIN LATERAL (SELECT user_name_key(n.name) AS key) k
        LEFT JOIN users u ON user_name_key(u.username) = k.key) AS names`,
    [
      batch.map((user) => user.email),
      batch.map((user) => user.affCode),
      batch.filter((user) => user.accessToken !== "").map((user) => secrets.hash(user.accessToken)),
      [...new Set(batch.map((user) => user.inviterId))],
      batch.map((user) => user.username),
    ],
  );
  const keys = found?.names.map(({ key }) => key) ?? [];
  const keysOf = (isLive: boolean) =>
    found?.names.filter(({ live }) => live === isLive).map(({ key }) => key) ?? [];
  const left = keysOf(false);
  if (left.length > 0)
    await tx.$executeRawUnsafe(
      `UPDATE users SET username = left(username, 48) || '-' || id
       WHERE user_name_key(username) = ANY($1::text[]) AND deleted_at IS NOT NULL`,
      left,
    );
  return {
    oldNames: new Set(),
    emails: new Set(found?.emails),
    codes: new Set(found?.codes),
    accessTokens: new Set(found?.access),
    inviters: new Set([...(found?.inviters ?? []), ...batch.map((user) => user.id)]),
    names: freeNames(batch, keys, new Set(keysOf(true))),
  };
}

/**
 * Names are unique here in whatever case and spelling they are written: a second owner's gets the id behind it. Deleted accounts
 * leave theirs to others.
 */
function freeNames(
  batch: readonly UserRecord[],
  keys: readonly string[],
  live: ReadonlySet<string>,
): Map<number, string> {
  const names = new Map<number, string>();
  const wanted = new Set<string>();
  const give = (isDeleted: boolean) => {
    for (const [index, { username, id, deletedAt }] of batch.entries()) {
      if ((deletedAt !== undefined) !== isDeleted) continue;
      const key = keys[index] ?? username;
      const isFree = !live.has(key) && !wanted.has(key);
      names.set(id, isFree ? username : `${truncateText(username, 48)}-${id}`);
      wanted.add(key);
    }
  };
  give(false);
  give(true);
  return names;
}

async function writeIdentities({ run, book }: WriteContext, batch: readonly UserRecord[]): Promise<void> {
  const wanted = batch
    .filter((user) => user.deletedAt === undefined)
    .flatMap(({ id, identities }) => identities.map((identity) => ({ user_id: id, ...identity })));
  if (wanted.length === 0) return;
  const { rows: stored } = await run<{ user_id: number; provider: string }>(
    `INSERT INTO identities (user_id, provider, subject, label)
     SELECT user_id, provider, subject, label FROM jsonb_populate_recordset(NULL::identities, $1::jsonb)
     ON CONFLICT DO NOTHING RETURNING user_id, provider`,
    [jsonRows(wanted)],
  );
  const kept = new Set(stored.map((row) => `${row.provider} ${row.user_id}`));
  for (const { provider, user_id: userId } of wanted) {
    book.read("identities");
    if (!kept.has(`${provider} ${userId}`))
      book.skip("identities", "identity_repeated", `user ${userId}: ${provider}`);
  }
  book.imported("identities", stored.length);
}

/** Who invited whom, when every user is there. */
async function linkInviters({ tx, book }: WriteContext): Promise<void> {
  const linked = await tx.$executeRawUnsafe(
    `UPDATE users u SET inviter_id = i.inviter_id FROM import_inviters i
     JOIN users by ON by.id = i.inviter_id WHERE u.id = i.user_id AND i.inviter_id <> i.user_id`,
  );
  const [{ count } = { count: 0n }] = await tx.$queryRawUnsafe<{ count: bigint }[]>(
    "SELECT count(*) FROM import_inviters",
  );
  for (let missing = Number(count) - linked; missing > 0; missing -= 1) book.note("inviter_gone");
}

async function liveUsers(tx: Db, ids: readonly number[]): Promise<Set<number>> {
  const rows = await tx.$queryRawUnsafe<{ id: number }[]>(
    "SELECT id FROM users WHERE id = ANY($1::int[]) AND deleted_at IS NULL",
    [...new Set(ids)],
  );
  return new Set(rows.map((row) => row.id));
}

export async function writePasskeys(context: WriteContext, records: AsyncIterable<PasskeyRecord>) {
  const { tx, book, now } = context;
  await inBatches(context, "passkeys", records, async (batch) => {
    const owners = await liveUsers(
      tx,
      batch.map((passkey) => passkey.userId),
    );
    const fitting = batch.filter(({ userId }) => owners.has(userId));
    for (const passkey of batch)
      if (!owners.has(passkey.userId)) book.skip("passkeys", "passkey_owner", `user ${passkey.userId}`);
    const { count } = await tx.passkey.createMany({
      data: fitting.map((passkey) => ({
        user_id: passkey.userId,
        credential_id: passkey.credentialId,
        public_key: passkey.publicKey,
        alias: passkey.alias,
        sign_count: passkey.signCount,
        backed_up: passkey.backedUp,
        transports: passkey.transports,
        created_time: passkey.createdTime ?? now,
        last_used: passkey.lastUsed ?? null,
      })),
      skipDuplicates: true,
    });
    book.imported("passkeys", count);
  });
}

export async function writeSecondFactors(context: WriteContext, records: AsyncIterable<SecondFactorRecord>) {
  const { tx, book, secrets } = context;
  await inBatches(context, "second_factors", records, async (batch) => {
    for (const { userId, secret } of batch) {
      const { count } = await tx.user.updateMany({
        where: { id: userId, deleted_at: null },
        data: { totp_secret: sealTotpSecret(secrets, userId, secret), totp_enabled: true },
      });
      if (count === 0) book.skip("second_factors", "second_factor_owner");
      book.imported("second_factors", count);
    }
  });
}
