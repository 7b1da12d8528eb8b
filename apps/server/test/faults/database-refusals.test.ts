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
  let waits = 0;
  const onWait = () => void (waits += 1);
  await expect(waitForDatabase(address.href, { patienceMs: 30_000, onWait })).rejects.toThrow(
    new RegExp(`user "${role}".*password or user was refused\\. Check user and password`),
  );
  expect(waits).toBe(0);

  address.username = new URL(url).username;
  address.password = new URL(url).password;
  address.pathname = "/absent";
  await expect(
    waitForDatabase(address.href, { patienceMs: 30_000, onWait: () => undefined }),
  ).rejects.toThrow(/database "absent".*does not exist/);
  await database.pool.query(`DROP ROLE ${role}`);
  await database.close();
});
