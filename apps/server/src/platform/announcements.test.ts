import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { freshDatabase, type TestDatabase } from "#test/database.ts";
import { announce, listen } from "./announcements.ts";
import { connect as openDatabase, type Database } from "./db.ts";

let home: TestDatabase;
let database: Database;
beforeAll(async () => {
  home = await freshDatabase();
  database = openDatabase(home.url, { max: 2 });
});
afterAll(async () => {
  await database.close();
  await home.drop();
});

/** A way to the database that can be shut, and counts who comes. */
async function door() {
  const { hostname, port } = new URL(home.url);
  const inside = new Set<Socket>();
  const state = { open: true, came: 0 };
  const server = createServer((socket) => {
    state.came += 1;
    socket.on("error", () => {});
    if (!state.open) return void socket.end();
    const onward = connect(Number(port), hostname);
    onward.on("error", () => {});
    socket.pipe(onward).pipe(socket);
    inside.add(socket).add(onward);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = new URL(home.url);
  url.hostname = "127.0.0.1";
  url.port = String((server.address() as AddressInfo).port);
  return {
    url: url.href,
    state,
    shut() {
      state.open = false;
      for (const socket of inside) socket.destroy();
    },
    close: () => server.close(),
  };
}

describe("who listens for changes", () => {
  it("knocks once a second while the database is away, and hears each change once when it is back", async () => {
    const way = await door();
    const ears = await listen(way.url, () => {});
    const heard: number[] = [];
    ears.on("channels", (id) => heard.push(id));
    await announce(database.db, "channels", 1);
    await expect.poll(() => heard).toEqual([1]);

    way.shut();
    way.state.came = 0;
    await sleep(6_000);
    expect(way.state.came).toBeGreaterThan(2);
    expect(way.state.came).toBeLessThan(9);

    way.state.open = true;
    await expect.poll(() => heard).toEqual([1, 0]);
    await announce(database.db, "channels", 2);
    await expect.poll(() => heard).toEqual([1, 0, 2]);
    await sleep(1_500);
    expect(heard).toEqual([1, 0, 2]);
    await ears.close();
    way.close();
  });
});
