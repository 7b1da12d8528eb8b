import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { Database } from "#platform/database/db.ts";
import { openTestDatabase } from "#test/database.ts";
import { findResponse, forgetBeyondLimits, rememberResponse } from "./stored.ts";

let database: Database;

beforeAll(async () => {
  database = await openTestDatabase({ max: 2 });
});
afterAll(async () => {
  await database.close();
});

/** Returns hexadecimal random bytes, which Postgres compresses to half at most. */
const turn = (bytes: number) => ({
  messages: [],
  response: { text: randomBytes(bytes / 2).toString("hex") },
});

const remember = (id: string, userId: number, bytes: number, accountBytes?: number) =>
  rememberResponse(
    database.db,
    { id, userId, tokenId: 1, channelId: 1, keyId: null, model: "m", tokens: 0, turn: turn(bytes) },
    accountBytes,
  );

it("stored responses: an account keeps its newest within its limit, and only its own are deleted", async () => {
  await remember("other", 2, 400_000);
  for (const id of ["a", "b", "c", "d"]) await remember(id, 1, 400_000, 1_000_000);
  const kept = async (id: string, userId: number) => (await findResponse(database.db, id, userId)) !== null;
  expect(await kept("a", 1)).toBe(false);
  expect(await kept("d", 1)).toBe(true);
  expect(await kept("other", 2)).toBe(true);
  const rows = await database.db.storedResponse.findMany({ where: { user_id: 1 } });
  expect(rows.length).toBeGreaterThan(1);
});

it("stored responses: many small ones of an account are deleted beyond its limit", async () => {
  for (let count = 0; count < 20; count += 1) await remember(`small${count}`, 4, 10_000, 50_000);
  await remember("lone", 5, 10_000, 50_000);
  await forgetBeyondLimits(database.db, 50_000);
  const kept = async (id: string, userId: number) => (await findResponse(database.db, id, userId)) !== null;
  expect([await kept("small0", 4), await kept("small19", 4), await kept("lone", 5)]).toEqual([
    false,
    true,
    true,
  ]);
});

it("stored responses: a response that is too large is not kept", async () => {
  expect(await remember("large", 3, 9_000_000)).toBe(false);
  expect(await findResponse(database.db, "large", 3)).toBeNull();
});
