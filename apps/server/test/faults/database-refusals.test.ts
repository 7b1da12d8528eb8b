import { randomUUID } from "node:crypto";
import { expect, test } from "vitest";
import { waitForDatabase } from "#platform/database/database-address.ts";
import { connect } from "#platform/database/db.ts";
import { freshDatabase } from "#test/database.ts";

test("waitForDatabase: a wrong password is rejected immediately, with what to check", async () => {
  const { url } = await freshDatabase();
  const database = connect(url, { max: 1 });
  const role = `r_${randomUUID().slice(0, 8)}`;
  await database.pool.query(`CREATE ROLE ${role} LOGIN PASSWORD 'right'`);
  const address = new URL(url);
  address.username = role;
  address.password = "wrong";
  const started = performance.now();
  await expect(
    waitForDatabase(address.href, { patienceMs: 30_000, onWait: () => undefined }),
  ).rejects.toThrow(new RegExp(`user "${role}".*password or user was refused\\. Check user and password`));
  expect(performance.now() - started).toBeLessThan(10_000);

  address.username = new URL(url).username;
  address.password = new URL(url).password;
  address.pathname = "/absent";
  await expect(
    waitForDatabase(address.href, { patienceMs: 30_000, onWait: () => undefined }),
  ).rejects.toThrow(/database "absent".*does not exist/);
  await database.pool.query(`DROP ROLE ${role}`);
  await database.close();
});
