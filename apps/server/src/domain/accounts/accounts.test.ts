import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { connect, type Database } from "#platform/database/db.ts";
import { openSecrets, randomText } from "#platform/secrets.ts";
import type { TestDatabase } from "#test/database-copies.ts";
import { freshDatabase } from "#test/database.ts";
import { enabledGroups, usableGroups } from "./groups/groups.ts";
import { listUsers } from "./search-users.ts";
import { seedAccounts } from "./seed.ts";
import { ensureRoot, issueSetupToken, setUp } from "./setup.ts";
import { hashPassword } from "./sign-in/passwords.ts";
import {
  endSession,
  findSession,
  listSessions,
  revokeSession,
  revokeSessions,
  startSession,
} from "./sign-in/sessions.ts";
import { logIn } from "./users.ts";

const secrets = openSecrets("a secret that only this test run knows");
let place: TestDatabase;
let database: Database;

beforeAll(async () => {
  place = await freshDatabase();
  database = connect(place.url, { max: 8 });
  await seedAccounts(database.db);
});
afterAll(async () => {
  await database.close();
  await place.drop();
});

const visitor = { ip: "10.0.0.1", userAgent: "test" };

async function makeUser(values: { password?: string; status?: number; email?: string } = {}) {
  const { password, ...rest } = values;
  return database.db.user.create({
    data: {
      ...rest,
      username: `user-${randomText(8)}`,
      aff_code: randomText(12),
      ...(password === undefined ? {} : { password_hash: await hashPassword(password) }),
    },
  });
}

describe("the first account", () => {
  it("is created once when several users open valid links at the same time", async () => {
    const { db } = database;
    const token = await issueSetupToken(db, secrets);
    const other = await issueSetupToken(db, secrets);
    if (token === undefined || other === undefined) throw new Error("no token");
    await expect(
      setUp(db, secrets, { token: "wrong", username: "eve", password: "12345678", ip: "" }),
    ).rejects.toMatchObject({ code: "wrong_credentials" });
    const tries = await Promise.allSettled(
      [token, other, token].map((each, n) =>
        setUp(db, secrets, { token: each, username: `root${n}`, password: "long enough", ip: "" }),
      ),
    );
    expect(tries.filter((each) => each.status === "fulfilled")).toHaveLength(1);
    const roots = await db.user.findMany({ where: { role: 100 } });
    expect(roots).toHaveLength(1);
    expect(roots[0]?.quota).toBe(100_000_000n);
    const gift = await db.ledgerEntry.findFirstOrThrow({ where: { user_id: roots[0]!.id } });
    expect(gift).toMatchObject({ kind: "gift", amount: 100_000_000n });
    expect(await db.oneTimeCode.count({ where: { purpose: "setup" } })).toBe(0);
    expect(await issueSetupToken(db, secrets)).toBeUndefined();
    expect(await ensureRoot(db, secrets, { username: "other", password: "12345678" })).toBe(false);
  });
});

describe("the first account from the environment", () => {
  it("is created by exactly one of two nodes that start together, with its access token", async () => {
    const own = await freshDatabase();
    const opened = connect(own.url, { max: 8 });
    const { db } = opened;
    try {
      const input = { username: "admin", password: "from the env", accessToken: "t".repeat(32) };
      const made = await Promise.all([ensureRoot(db, secrets, input), ensureRoot(db, secrets, input)]);
      expect(made.filter(Boolean)).toHaveLength(1);
      const root = await db.user.findFirstOrThrow({ where: { role: 100 } });
      expect(Buffer.from(root.access_token_hash!)).toEqual(Buffer.from(secrets.hash(input.accessToken)));
    } finally {
      await opened.close();
      await own.drop();
    }
  });
});

describe("wrong set-up tokens", () => {
  it("are rejected and do not invalidate the link", async () => {
    const own = await freshDatabase();
    const opened = connect(own.url, { max: 4 });
    const { db } = opened;
    try {
      const token = (await issueSetupToken(db, secrets))!;
      const guess = (tried: string) =>
        setUp(db, secrets, { token: tried, username: "guess", password: "12345678", ip: "" });
      for (let n = 0; n < 60; n++) await expect(guess(`wrong ${n}`)).rejects.toMatchObject({ status: 401 });
      expect((await guess(token)).role).toBe(100);
      await expect(guess(token)).rejects.toMatchObject({ code: "setup_done" });
    } finally {
      await opened.close();
      await own.drop();
    }
  });
});

describe("password sign-in", () => {
  const login = (username: string, password: string, passwordLoginEnabled = true) =>
    logIn(database.db, secrets, { username, password, code: "", ip: "10.0.0.2", passwordLoginEnabled });

  it("accepts the user name or the email address", async () => {
    const user = await makeUser({ password: "correct horse", email: "horse@example.com" });
    expect((await login(user.username, "correct horse")).user.id).toBe(user.id);
    expect(await login("horse@example.com", "correct horse")).toMatchObject({
      user: { last_login_ip: "10.0.0.2" },
    });
  });

  it("returns the same error for unknown users and wrong passwords", async () => {
    const user = await makeUser({ password: "correct horse" });
    const unknown = await login("nobody", "x").catch((error: Error) => error.message);
    const wrong = await login(user.username, "x").catch((error: Error) => error.message);
    expect(unknown).toBe(wrong);
  });

  it("rejects accounts without a password, disabled accounts, and all but root when switched off", async () => {
    const none = await makeUser();
    await expect(login(none.username, "nobody has this password")).rejects.toMatchObject({ status: 401 });
    const disabled = await makeUser({ password: "correct horse", status: 2 });
    await expect(login(disabled.username, "correct horse")).rejects.toMatchObject({ code: "user_disabled" });
    const user = await makeUser({ password: "correct horse" });
    await expect(login(user.username, "correct horse", false)).rejects.toMatchObject({ code: "forbidden" });
  });
});

describe("sessions", () => {
  it("are stored as a keyed hash and expire after thirty days without use", async () => {
    const { db } = database;
    const user = await makeUser();
    const id = await startSession(db, secrets, user, visitor);
    const row = await db.session.findFirstOrThrow({ where: { user_id: user.id } });
    expect(Buffer.from(row.id_hash).toString("latin1")).not.toContain(id);
    expect(await findSession(db, secrets, id)).toMatchObject({ user: { id: user.id }, renewed: false });
    const soon = new Date(Date.now() + 3_600_000);
    expect((await findSession(db, secrets, id, soon))?.renewed).toBe(true);
    const late = new Date(Date.now() + 31 * 86_400_000);
    expect(await findSession(db, secrets, id, late)).toBeUndefined();
    expect(await findSession(db, secrets, `${id}x`)).toBeUndefined();
  });

  it("are listed, and revoked by their owner only", async () => {
    const { db } = database;
    const [user, other] = [await makeUser(), await makeUser()];
    const here = await startSession(db, secrets, user, visitor);
    const there = await startSession(db, secrets, user, visitor);
    const listed = await listSessions(db, secrets, user.id, here);
    expect(listed.filter((each) => each.current)).toHaveLength(1);
    const target = listed.find((each) => !each.current)!;
    expect(await revokeSession(db, other.id, target.id)).toBe(false);
    expect(await revokeSession(db, user.id, target.id)).toBe(true);
    expect(await findSession(db, secrets, there)).toBeUndefined();
    const third = await startSession(db, secrets, user, visitor);
    await revokeSessions(db, secrets, user.id, here);
    expect(await findSession(db, secrets, third)).toBeUndefined();
    expect(await findSession(db, secrets, here)).toBeDefined();
    await endSession(db, secrets, here);
    expect(await findSession(db, secrets, here)).toBeUndefined();
  });

  it("of a deleted user are not found", async () => {
    const user = await makeUser();
    const id = await startSession(database.db, secrets, user, visitor);
    await database.db.user.update({ where: { id: user.id }, data: { deleted_at: new Date() } });
    expect(await findSession(database.db, secrets, id)).toBeUndefined();
  });
});

describe("groups", () => {
  it("can be used if they are enabled and either public or the user's own", async () => {
    const { db } = database;
    const symbols = async (own?: string) => (await usableGroups(db, own)).map((group) => group.symbol);
    expect(await symbols()).toEqual(["default"]);
    expect(await symbols("vip")).toEqual(["default", "vip"]);
    await db.userGroup.create({ data: { symbol: "off", name: "Off", enable: false, public: true } });
    expect(await symbols("off")).toEqual(["default"]);
    expect(await enabledGroups(db)).toEqual(["default", "vip", "svip"]);
  });

  it("that were deleted are not seeded again, while model owners are completed", async () => {
    const { db } = database;
    await db.userGroup.delete({ where: { symbol: "svip" } });
    await db.modelOwner.delete({ where: { id: 56 } });
    await seedAccounts(db);
    expect(await enabledGroups(db)).toEqual(["default", "vip"]);
    expect(await db.modelOwner.findUnique({ where: { id: 56 } })).toMatchObject({ name: "xAI" });
  });
});

describe("the list of users", () => {
  it("finds a user by id and by the start of a name or email address", async () => {
    const user = await makeUser({ email: "someone.special@example.com" });
    const search = { skip: 0, take: 10, orderBy: [{ id: "desc" as const }] };
    const byId = await listUsers(database.db, { ...search, keyword: String(user.id) });
    expect(byId.rows.map((row) => row.id)).toContain(user.id);
    const byMail = await listUsers(database.db, { ...search, keyword: "SOMEONE.sp" });
    expect(byMail).toMatchObject({ total: 1, rows: [{ id: user.id }] });
  });

  it("counts a user who matches twice once, and filters, sorts and pages", async () => {
    const { db } = database;
    const people = [
      { username: "Ärger-1", display_name: "ärger", group: "vip", quota: 5n },
      { username: "ärger-2", display_name: "someone", group: "vip", quota: 9n },
      { username: "other-3", display_name: "ÄRGER too", group: "default", quota: 7n },
      { username: "Ärger-4", display_name: "gone", group: "vip", quota: 8n, deleted_at: new Date() },
    ];
    for (const data of people) await db.user.create({ data: { ...data, aff_code: randomText(12) } });
    const namesOf = async (search: Partial<Parameters<typeof listUsers>[1]>) => {
      const orderBy = [{ quota: "desc" as const }, { id: "desc" as const }];
      const { rows, total } = await listUsers(db, { keyword: "ärG", skip: 0, take: 10, orderBy, ...search });
      return { names: rows.map((row) => row.username), total };
    };
    expect(await namesOf({})).toEqual({ names: ["ärger-2", "other-3", "Ärger-1"], total: 3 });
    expect(await namesOf({ skip: 1, take: 1 })).toEqual({ names: ["other-3"], total: 3 });
    expect(await namesOf({ skip: 5 })).toEqual({ names: [], total: 3 });
    expect(await namesOf({ group: "vip" })).toEqual({ names: ["ärger-2", "Ärger-1"], total: 2 });
    expect(await namesOf({ role: 10 })).toEqual({ names: [], total: 0 });
    expect(await namesOf({ keyword: "VI" })).toEqual({ names: ["ärger-2", "Ärger-1"], total: 2 });
  });
});
