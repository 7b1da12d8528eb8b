import { isKnownHash } from "#domain/accounts/passwords.ts";
import { sealTotpSecret } from "#domain/accounts/second-factor.ts";
import { largestAmount } from "#domain/ledger/amounts.ts";
import { stageBalances } from "#domain/ledger/opening-balances.ts";
import type { PasskeyRecord, SecondFactorRecord, UserRecord } from "#migration/records.ts";
import { ImportRefusal } from "#migration/refusal.ts";
import type { Db } from "#platform/database/db.ts";
import { randomText } from "#platform/secrets.ts";
import { jsonRows } from "./json-rows.ts";
import { existing, inBatches, type WriteContext } from "./write-context.ts";

const affCodeLength = 8;

export async function writeUsers(context: WriteContext, records: AsyncIterable<UserRecord>): Promise<void> {
  const { tx, book } = context;
  await tx.$executeRawUnsafe(
    "CREATE TEMP TABLE import_inviters (user_id int, inviter_id int) ON COMMIT DROP",
  );
  await inBatches(context, "users", records, async (batch) => {
    const data: Awaited<ReturnType<typeof columnsOf>>[] = [];
    const names = await freeNames(tx, batch);
    const emails = await takenValues(
      tx,
      "email",
      batch.map((user) => user.email),
    );
    const codes = await takenValues(
      tx,
      "aff_code",
      batch.map((user) => user.affCode),
    );
    for (const user of batch) requireAmounts(user);
    for (const [index, user] of batch.entries())
      data.push(await columnsOf(context, user, names[index] ?? user.username, emails, codes));
    await tx.$executeRawUnsafe(
      `INSERT INTO users (id, username, password_hash, display_name, role, status, email, avatar_url, "group", request_count,
         access_token_hash, aff_code, aff_count, aff_quota, aff_history, language, last_login_time, last_login_ip, created_time,
         deleted_at, budget)
       SELECT id, username, password_hash, display_name, role, status, email, avatar_url, "group", request_count,
         access_token_hash, aff_code, aff_count, aff_quota, aff_history, language, last_login_time, last_login_ip, created_time,
         deleted_at, budget
       FROM jsonb_populate_recordset(NULL::users, $1::jsonb)`,
      jsonRows(data),
    );
    await stageBalances(
      tx,
      batch.map(({ id, quota, used }) => ({ userId: id, balance: quota, used: used < 0n ? 0n : used })),
    );
    await writeIdentities(context, batch);
    const invited = batch.filter((user) => user.inviterId > 0);
    await tx.$executeRawUnsafe(
      "INSERT INTO import_inviters SELECT * FROM unnest($1::int[], $2::int[])",
      invited.map((user) => user.id),
      invited.map((user) => user.inviterId),
    );
    book.imported("users", batch.length);
  });
  await linkInviters(context);
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
  username: string,
  emails: Set<string>,
  codes: Set<string>,
) {
  const label = `user ${user.id}`;
  if (username !== user.username) book.attention("user_renamed", `${user.username} is ${username}`);
  const hash = isKnownHash(user.passwordHash) ? user.passwordHash : null;
  if (hash === null && user.deletedAt === undefined) book.attention("user_without_password", label);
  const email = claim(emails, user.email);
  if (email === null && user.email !== "") book.attention("email_repeated", label);
  return {
    id: user.id,
    username,
    password_hash: hash,
    display_name: user.displayName,
    role: user.role,
    status: user.status,
    email: email !== null && email.length > 254 ? null : email,
    avatar_url: user.avatarUrl,
    group: (await groups.symbolOf(user.group)) || "default",
    request_count: user.requestCount < 0n ? 0n : user.requestCount,
    access_token_hash: user.accessToken === "" ? null : secrets.hash(user.accessToken),
    aff_code: claim(codes, user.affCode) ?? randomText(affCodeLength),
    aff_count: Math.max(0, user.affCount),
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

/** Null for "" and for a value that someone has; else the value, which is then taken. */
function claim(taken: Set<string>, value: string): string | null {
  if (value === "" || taken.has(value)) return null;
  taken.add(value);
  return value;
}

async function takenValues(tx: Db, column: "email" | "aff_code", values: string[]): Promise<Set<string>> {
  const rows = await tx.$queryRawUnsafe<{ value: string }[]>(
    `SELECT ${column} AS value FROM users WHERE ${column} = ANY($1::text[])`,
    values,
  );
  return new Set(rows.map((row) => row.value));
}

/** Names are unique here in whatever case and spelling they are written: a second owner's gets the id behind it. */
async function freeNames(tx: Db, batch: readonly UserRecord[]): Promise<string[]> {
  const rows = await tx.$queryRawUnsafe<{ key: string; taken: boolean }[]>(
    `SELECT user_name_key(n.name) AS key,
       EXISTS (SELECT 1 FROM users u WHERE user_name_key(u.username) = user_name_key(n.name)) AS taken
     FROM unnest($1::text[]) WITH ORDINALITY n(name, place) ORDER BY n.place`,
    batch.map((user) => user.username),
  );
  const seen = new Set<string>();
  return batch.map(({ username, id }, index) => {
    const { key = username, taken = false } = rows[index] ?? {};
    if (!taken && !seen.has(key)) {
      seen.add(key);
      return username;
    }
    return `${username.slice(0, 48)}-${id}`;
  });
}

async function writeIdentities({ tx, book }: WriteContext, batch: readonly UserRecord[]): Promise<void> {
  const wanted = batch.flatMap(({ id, identities }) =>
    identities.map((identity) => ({ user_id: id, ...identity })),
  );
  if (wanted.length === 0) return;
  const stored = await tx.$queryRawUnsafe<{ user_id: number; provider: string }[]>(
    `INSERT INTO identities (user_id, provider, subject, label)
     SELECT user_id, provider, subject, label FROM jsonb_populate_recordset(NULL::identities, $1::jsonb)
     ON CONFLICT DO NOTHING RETURNING user_id, provider`,
    jsonRows(wanted),
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

export async function writePasskeys(context: WriteContext, records: AsyncIterable<PasskeyRecord>) {
  const { tx, book, now } = context;
  await inBatches(context, "passkeys", records, async (batch) => {
    const owners = await existing(
      tx,
      "users",
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
        where: { id: userId },
        data: { totp_secret: sealTotpSecret(secrets, userId, secret), totp_enabled: true },
      });
      if (count === 0) book.skip("second_factors", "second_factor_owner");
      book.imported("second_factors", count);
    }
  });
}
