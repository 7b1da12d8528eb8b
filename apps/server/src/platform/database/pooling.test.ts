import { afterAll, beforeAll, expect, test } from "vitest";
import type { TestDatabase } from "#test/database-copies.ts";
import { emptyDatabase } from "#test/database.ts";
import { startPooler } from "#test/transaction-pooler.ts";
import { refuseTransactionPooling } from "./pooling.ts";

let home: TestDatabase;
beforeAll(async () => {
  home = await emptyDatabase();
});
afterAll(() => home.drop());

test.each(["transaction", "statement"] as const)(
  "pooling: rejects %s mode and explains what to set",
  async (mode) => {
    const pooler = await startPooler(home.url, mode);
    const { message } = await refuseTransactionPooling(pooler.url).then(
      () => new Error("accepted"),
      (error: Error) => error,
    );
    expect(message).toMatch(/DATABASE_DIRECT_URL to the address of Postgres itself, or pool_mode = session/);
    expect(message).toContain(new URL(pooler.url).port);
    const { password } = new URL(home.url);
    if (password !== "") expect(message).not.toContain(password);
    await pooler.close();
  },
);

test("pooling: accepts session mode and a direct connection to Postgres", async () => {
  const pooler = await startPooler(home.url, "session");
  await refuseTransactionPooling(pooler.url);
  await refuseTransactionPooling(home.url);
  await pooler.close();
});
