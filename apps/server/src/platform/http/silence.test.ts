import { afterEach, expect, it } from "vitest";
import { announce, listen } from "#platform/announcements.ts";
import { connect } from "#platform/database/db.ts";
import { freshDatabase } from "#test/database.ts";
import { startTcpProxy } from "#test/tcp-proxy.ts";

const closers: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

it(
  "database: an idle node whose connections all went silent drops them and works again",
  { tags: "nightly", timeout: 60_000 },
  async () => {
    const place = await freshDatabase();
    closers.push(() => place.drop());
    const proxy = await startTcpProxy(place.url);
    closers.push(() => proxy.close());
    const database = connect(proxy.url, { max: 2 });
    closers.push(() => database.close());
    const announcements = await listen(proxy.url, () => {}, { beatMs: 3_000 });
    closers.push(() => announcements.close());
    announcements.onSilence(() => database.dropSilent());
    await Promise.all([database.pool.query("SELECT 1"), database.pool.query("SELECT 1")]);

    // At a moment at which the connection that listens is open: on a busy machine it may be replaced meanwhile. The
    // announcement comes from elsewhere, because it would leave one of the two connections without its answer.
    const elsewhere = connect(place.url, { max: 1 });
    closers.push(() => elsewhere.close());
    const silenced = new Promise<void>((resolve) => {
      announcements.on("users", () => {
        proxy.silence();
        resolve();
      });
    });
    await announce(elsewhere.db, "users");
    await silenced;
    // The limit of a statement is five minutes: only because the silence is detected, these end in time.
    const waiting = [database.pool.query("SELECT 1"), database.pool.query("SELECT 1")];
    for (const result of await Promise.allSettled(waiting)) expect(result.status).toBe("rejected");
    expect((await database.pool.query("SELECT 1")).rowCount).toBe(1);
  },
);
