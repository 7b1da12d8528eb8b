import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Database } from "#platform/database/db.ts";
import type { User } from "#platform/prisma/client.ts";
import { openSecrets, randomText } from "#platform/secrets.ts";
import { openTestDatabase } from "#test/database.ts";
import { takeAttempt } from "./pace.ts";
import { takeGuess } from "./password-guesses.ts";

const secrets = openSecrets("a secret that only this test run knows");
let database: Database;
beforeAll(async () => {
  database = await openTestDatabase({ max: 8 });
});
afterAll(async () => {
  await database.close();
});

const makeUser = (values: object = {}) =>
  database.db.user.create({
    data: { username: `user-${randomText(8)}`, aff_code: randomText(12), ...values },
  });
const guess = (user: User | null, ip: string, name = "nobody") =>
  takeGuess(database.db, secrets, { name: user?.username ?? name, user, ip });
/** Returns how many of `count` concurrent attempts were allowed, and the longest wait that was requested. */
async function tries(count: number, make: (n: number) => Promise<unknown>) {
  const all = await Promise.allSettled(Array.from({ length: count }, (_, n) => make(n)));
  const refusals = all.flatMap((each) => (each.status === "rejected" ? [each.reason] : []));
  return {
    passed: count - refusals.length,
    wait: Math.max(0, ...refusals.map((error: { retryAfter: number }) => error.retryAfter)),
  };
}

describe("takeGuess", () => {
  it("allows eight attempts from one address, even if all are concurrent", async () => {
    const user = await makeUser();
    expect((await tries(20, () => guess(user, "203.0.113.1"))).passed).toBe(8);
    expect((await tries(1, () => guess(user, "203.0.113.2"))).passed).toBe(1);
  });

  it("allows one attempt per minute when many addresses try, and never requires a longer wait", async () => {
    const user = await makeUser();
    const crowd = await tries(60, (n) => guess(user, `203.0.113.${n}`));
    expect(crowd.passed).toBe(30);
    expect(crowd.wait).toBeLessThanOrEqual(61);
    // Rejected attempts do not lengthen the wait.
    expect((await tries(60, (n) => guess(user, `198.51.100.${n}`))).wait).toBeLessThanOrEqual(61);
  });

  it("does not block the owner at an address where the account signed in before", async () => {
    const user = await makeUser({ last_login_ip: "192.0.2.7" });
    await tries(60, (n) => guess(user, `203.0.113.${n}`));
    await expect(guess(user, "192.0.2.8")).rejects.toMatchObject({ code: "rate_limit_exceeded" });
    await expect(guess(user, "192.0.2.7")).resolves.toBeDefined();
  });

  it("treats an unknown name like a known one", async () => {
    const name = `ghost-${randomText(6)}`;
    expect((await tries(20, () => guess(null, "203.0.113.1", name))).passed).toBe(8);
    expect((await tries(60, (n) => guess(null, `198.51.100.${n}`, name.toUpperCase()))).passed).toBe(22);
  });

  it("resets the count after the correct password", async () => {
    const user = await makeUser();
    for (let round = 0; round < 5; round += 1) {
      await tries(7, () => guess(user, "203.0.113.9"));
      const right = await guess(user, "203.0.113.9").catch(() => undefined);
      if (round < 3) expect(right).toBeDefined();
      await right?.right();
    }
  });
});

describe("takeAttempt", () => {
  it("allows exactly its burst, even for concurrent attempts", async () => {
    const pace = { burst: 2, everyMs: 60_000, reason: "mail_just_sent" as const };
    for (let round = 0; round < 20; round += 1) {
      const crowd = tries(3, () => takeAttempt(database.db, "test", `crowd ${round}`, pace));
      expect((await crowd).passed).toBe(2);
    }
  });

  it("regains one attempt per interval", async () => {
    const { db } = database;
    const pace = { burst: 2, everyMs: 60_000, reason: "mail_just_sent" as const };
    const attempt = () => takeAttempt(db, "test", "pace", pace);
    expect((await tries(5, attempt)).passed).toBe(2);
    // Simulates that a little more than a minute has passed.
    const [row] = await db.oneTimeCode.findMany({ where: { subject: "pace" } });
    const expires_at = new Date((row?.expires_at.getTime() ?? 0) - 61_000);
    await db.oneTimeCode.updateMany({ where: { subject: "pace" }, data: { expires_at } });
    expect((await tries(5, attempt)).passed).toBe(1);
  });
});
