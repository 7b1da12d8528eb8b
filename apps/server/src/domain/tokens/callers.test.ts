import { afterAll, beforeAll, expect, test } from "vitest";
import { makeAccount } from "#domain/ledger/accounts.fixture.ts";
import type { Database } from "#platform/database/db.ts";
import { openSecrets } from "#platform/secrets.ts";
import { openTestDatabase } from "#test/database.ts";
import { createCallers } from "./callers.ts";

let database: Database;
beforeAll(async () => {
  database = await openTestDatabase({ max: 2 });
});
afterAll(async () => {
  await database.close();
});

test("callers: a key that was found stays cached, in every spelling, until it is forgotten", async () => {
  const secrets = openSecrets("a secret key of at least 32 characters");
  const { tokenId } = await makeAccount(database, { quota: 1n });
  const key = `sk-${"k".repeat(48)}`;
  await database.db.token.update({ where: { id: tokenId }, data: { key_hash: secrets.hash(key) } });
  const callers = createCallers(database.db, secrets);
  const isUnknown = async (presented: string) => {
    let unknown = false;
    await callers
      .find(presented, () => {
        unknown = true;
      })
      .catch(() => undefined);
    return unknown;
  };
  expect(await isUnknown(`Bearer ${key}`)).toBe(true);
  for (const spelling of [key, `Bearer ${key}`, "k".repeat(48)])
    expect(await isUnknown(spelling)).toBe(false);
  for (const other of [`sk-${"x".repeat(48)}`, "no key"]) expect(await isUnknown(other)).toBe(true);
  callers.forgetToken(tokenId);
  expect(await isUnknown(key)).toBe(true);
  const refusal = new Error("no more keys");
  const refuse = () => {
    throw refusal;
  };
  await expect(callers.find(`sk-${"y".repeat(48)}`, refuse)).rejects.toBe(refusal);
});
