import type { LogFacets, LogPage } from "@gateway/shared/usage/log";
import type { AgentSession, CacheEffect, SessionCalls, SessionPage } from "@gateway/shared/usage/session";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { completeIndexes } from "#domain/logs/partition-indexes.ts";
import type { User } from "#platform/prisma/client.ts";
import { type Browser, buildConsole, type TestConsole } from "#test/console.ts";

let site: TestConsole;
let admin: Browser;
let owner: User;
let mine: Browser;
let other: Browser;
const channels: number[] = [];

beforeAll(async () => {
  site = await buildConsole();
  admin = await site.as(await site.makeUser({ role: 10 }));
  owner = await site.makeUser();
  mine = await site.as(owner);
  other = await site.as(await site.makeUser());
  for (const name of ["one", "two"])
    channels.push((await site.services.db.channel.create({ data: { type: 1, name } })).id);
});
afterAll(() => site.close());

interface Written {
  minute: number;
  session: object | null;
  channel?: number;
  /** Lines of the bill: uncached, read and written tokens. */
  tokens?: [number, number, number];
  failed?: boolean;
  user?: number;
}

/** Writes a call at a ratio of 2 points per input token: 0.2 for reads, 2.5 for writes; the group's ratio is 0.5. */
async function write({ minute, session, channel = 0, tokens = [0, 0, 0], failed = false, user }: Written) {
  const [input, read, written] = tokens;
  const lines = [
    { kind: "input", amount: input, ratio: "2" },
    { kind: "cached_read_tokens", amount: read, ratio: "0.2" },
    { kind: "cached_write_tokens", amount: written, ratio: "2.5" },
    { kind: "output", amount: 10, ratio: "10" },
  ].filter(({ amount }) => amount > 0);
  await site.database.pool.query(
    `INSERT INTO request_logs (created_at, request_id, type, user_id, username, channel_id, model_name, session, bill,
       prompt_tokens, completion_tokens, quota, error_code)
     VALUES (now() - interval '2 hours' + $1 * interval '1 minute', 'call-' || $1, $2, $3, 'owner', $4, 'm', $5, $6, $7, 10,
       $8, $9)`,
    [
      minute,
      failed ? 5 : 2,
      user ?? owner.id,
      failed ? 0 : (channels[channel] ?? 0),
      session === null ? null : JSON.stringify(session),
      failed ? null : JSON.stringify({ price_type: "tokens", group_ratio: "0.5", lines, exact: "1" }),
      input + read + written,
      failed ? 0 : 100,
      failed ? "upstream_failed" : "",
    ],
  );
}

const get = (id: string, who: Browser) =>
  who.get<AgentSession>(`/api/log/session?id=${encodeURIComponent(id)}`);

describe("a session of an agent", () => {
  const id = "s/1?x=ä";
  beforeAll(async () => {
    await write({ minute: 0, session: { id }, tokens: [0, 0, 1000] });
    await write({ minute: 1, session: { id }, tokens: [200, 800, 0] });
    await write({ minute: 2, session: { id, agent: "a1", parent: "root" }, tokens: [500, 0, 0], channel: 1 });
    await write({ minute: 3, session: { id }, failed: true });
    // Moves to the second channel: 80 % of 2,000 tokens were expected from the cache, 100 were read.
    await write({ minute: 4, session: { id }, tokens: [1900, 100, 0], channel: 1 });
    await write({ minute: 5, session: { id: "elsewhere" }, tokens: [7, 0, 0] });
  });

  it("has sums, agents, models and what the cache saved, as charged", async () => {
    const { data } = (await get(id, mine)).body;
    expect(data).toMatchObject({
      id,
      user_id: owner.id,
      complete: true,
      // 900 cached tokens at (2 − 0.2) × 0.5; the first call has no ratio of uncached input.
      totals: { calls: 5, failed: 1, input: 4500, cached: 900, output: 50, quota: 400, saved: 810 },
      models: [{ name: "m", calls: 5 }],
      errors: [{ error_code: "upstream_failed", count: 1 }],
      // 1,500 tokens at (2 − 0.2) × 0.5.
      moves: { count: 1, cost: 1350 },
      channels: null,
      move_list: null,
    });
    expect(data.agents).toMatchObject([
      { agent: "", parent: "", calls: 4 },
      { agent: "a1", parent: "root", calls: 1, quota: 100 },
    ]);
    expect(Math.round((data.last_at - data.first_at) / 60)).toBe(4);
  });

  it("counts a call for an unknown model as one of the requested model", async () => {
    await write({ minute: 20, session: { id: "misspelled" }, failed: true });
    await site.database.pool.query(
      "UPDATE request_logs SET model_name = '', content_facts = $1 WHERE request_id = 'call-20'",
      [JSON.stringify([{ code: "model_not_found", params: { model: "misspelled-model" } }])],
    );
    const { models } = (await get("misspelled", mine)).body.data;
    expect(models).toMatchObject([{ name: "misspelled-model", calls: 1, failed: 1 }]);
  });

  it("shows channels and moves to administrators", async () => {
    const { data } = (await get(id, admin)).body;
    expect(data.channels).toMatchObject([
      { id: channels[0], name: "one", calls: 2 },
      { id: channels[1], name: "two", calls: 2 },
    ]);
    expect(data.move_list).toMatchObject([
      { request_id: "call-4", from_channel_name: "one", to_channel_name: "two", lost: 1500, cost: 1350 },
    ]);
  });

  it("takes the ratio of input from the price version where a bill has no uncached input", async () => {
    const version = await site.services.db.priceVersion.create({
      data: { model: "m", snapshot: { input: "2" } },
    });
    await write({ minute: 10, session: { id: "written" }, tokens: [0, 0, 1000] });
    await site.database.pool.query(
      "UPDATE request_logs SET price_version_id = $1 WHERE request_id = 'call-10'",
      [version.id],
    );
    expect((await get("written", mine)).body.data.totals).toMatchObject({ write_extra: 250, saved: 0 });
  });

  it("is not found for others, and an id that is too long is refused", async () => {
    expect((await get(id, other)).status).toBe(404);
    expect((await get("unknown", admin)).status).toBe(404);
    expect((await get("x".repeat(10_240), mine)).status).toBe(400);
    expect((await get("", mine)).status).toBe(400);
    expect((await admin.get(`/api/log/session?id=written&user_id=987654`)).status).toBe(404);
  });

  it("filters the log and is one of its facets", async () => {
    const query = `session=${encodeURIComponent(id)}`;
    const page = await mine.get<LogPage>(`/api/log/self?${query}&size=2`);
    expect(page.body.data).toMatchObject({ total_count: 5, data: [{ request_id: "call-4" }, {}] });
    const facets = (await admin.get<LogFacets>("/api/log/facets")).body.data;
    expect(facets.session).toContainEqual({ value: id, count: 5 });
  });

  it("is the basis of the effect of the cache on a user and a channel", async () => {
    const effect = async (path: string) => (await admin.get<CacheEffect>(path)).body.data;
    expect(await effect(`/api/user/${owner.id}/cache`)).toMatchObject({
      cached: 900,
      saved: 810,
      complete: true,
      moves: { count: 1, cost: 1350 },
    });
    expect(await effect(`/api/channel/${channels[1]}/cache`)).toMatchObject({
      input: 2500,
      cached: 100,
      saved: 90,
      moves: { count: 1 },
    });
    expect(await effect(`/api/channel/${channels[0]}/cache`)).toMatchObject({ moves: { count: 0, cost: 0 } });
    expect((await mine.get(`/api/user/${owner.id}/cache`)).status).toBe(403);
  });

  it("of thousands of calls is read through its index", async () => {
    const { pool } = site.database;
    await pool.query(
      `INSERT INTO request_logs (created_at, request_id, type, user_id, model_name, session)
       SELECT now() - n * interval '1 second', 'n' || n, 2, $1,
         'm', CASE WHEN n % 2 = 0 THEN jsonb_build_object('id', 'session-' || n % 40) END
       FROM generate_series(1, 20000) n`,
      [owner.id],
    );
    await completeIndexes(pool);
    const { rows } = await pool.query<{ "QUERY PLAN": string }>(
      `EXPLAIN SELECT l.* FROM request_logs l WHERE l.session ->> 'id' = 'session-2' AND l.user_id = ${owner.id}
        ORDER BY l.created_at DESC, l.id DESC LIMIT 20001`,
    );
    const plan = rows.map((row) => row["QUERY PLAN"]).join("\n");
    expect(plan).toMatch(/Index Scan.*expr|session/);
    expect(plan).not.toContain("Seq Scan");
    expect((await get("session-2", mine)).body.data.totals.calls).toBe(500);
  });
});

describe("the calls of a session", () => {
  const list = async (id: string, who: Browser) =>
    (await who.get<SessionCalls>(`/api/log/session/calls?id=${encodeURIComponent(id)}`)).body.data;

  it("are in order, with agents, cached tokens and moves", async () => {
    const { data, complete } = await list("s/1?x=ä", mine);
    expect(complete).toBe(true);
    expect(data).toMatchObject([
      { request_id: "call-0", agent: "", cached: 0, failed: false, moved: false },
      { request_id: "call-1", cached: 800, input: 1000, quota: 100 },
      { request_id: "call-2", agent: "a1", moved: false },
      { request_id: "call-3", failed: true, error_code: "upstream_failed" },
      { request_id: "call-4", moved: true },
    ]);
    const [, second] = data;
    expect(Math.round(((data[4]?.ended_at ?? 0) - (second?.ended_at ?? 0)) / 1000)).toBe(180);
  });

  it("show channels to administrators only, and are not found for others", async () => {
    const ofOwner = (await list("s/1?x=ä", mine)).data;
    expect(new Set(ofOwner.map(({ channel_id, channel_name }) => `${channel_id}${channel_name}`))).toEqual(
      new Set(["0"]),
    );
    expect((await list("s/1?x=ä", admin)).data[4]).toMatchObject({
      channel_id: channels[1],
      channel_name: "two",
    });
    expect((await other.get("/api/log/session/calls?id=s%2F1%3Fx%3D%C3%A4")).status).toBe(404);
    expect((await other.get("/api/log/session/calls")).status).toBe(400);
  });

  it("are the newest 5,000", async () => {
    await site.database.pool.query(
      `INSERT INTO request_logs (created_at, request_id, type, user_id, model_name, session)
       SELECT now() - n * interval '1 second', 'l' || n, 2, $1, 'm', '{"id":"long"}' FROM generate_series(1, 5001) n`,
      [owner.id],
    );
    const { data, complete } = await list("long", mine);
    expect([data.length, complete, data.at(-1)?.request_id]).toEqual([5_000, false, "l1"]);
  });
});

describe("the list of sessions", () => {
  let lister: User;
  let listing: Browser;
  const list = async (who: Browser, query = "") =>
    (await who.get<SessionPage>(`/api/log/sessions?${query}`)).body.data;
  const store = async (requestId: string, body: object, byToken: boolean) => {
    const { pool } = site.database;
    const { secrets } = site.services;
    await pool.query(
      `INSERT INTO request_bodies (created_at, request_id, user_id, by_token, request, response)
       SELECT created_at, request_id, user_id, $2, $3, '' FROM request_logs WHERE request_id = $1`,
      [requestId, byToken, Buffer.from(secrets.encrypt(JSON.stringify(body), `body:${requestId}`))],
    );
  };

  beforeAll(async () => {
    lister = await site.makeUser();
    listing = await site.as(lister);
    // Nine sessions of three calls each. Their calls alternate.
    await site.database.pool.query(
      `INSERT INTO request_logs (created_at, request_id, type, user_id, username, token_name, model_name, session, quota,
         prompt_tokens, completion_tokens)
       SELECT now() + n * interval '1 second', 'listed-' || n, CASE n WHEN 26 THEN 5 ELSE 2 END, $1, $2, 'key',
         CASE WHEN n < 18 THEN 'm' ELSE 'n' END,
         jsonb_strip_nulls(jsonb_build_object('id', 'listed-' || n % 9, 'agent', CASE WHEN n > 17 THEN 'explore' END)),
         10, 100, 5
       FROM generate_series(0, 26) n`,
      [lister.id, lister.username],
    );
  });

  it("has each session once, the newest first, with its sums", async () => {
    const first = await list(listing, "size=5");
    const second = await list(listing, `size=5&cursor=${first.next}`);
    expect([...first.data, ...second.data].map(({ id }) => id)).toEqual(
      [8, 7, 6, 5, 4, 3, 2, 1, 0].map((n) => `listed-${n}`),
    );
    expect(second.next).toBeNull();
    expect(first.data[0]).toMatchObject({
      user_id: lister.id,
      title: "",
      model_name: "m",
      models: 2,
      token_name: "key",
      agents: 2,
      calls: 3,
      failed: 1,
      input: 300,
      output: 15,
      quota: 20,
      complete: true,
    });
    expect((first.data[0]?.last_at ?? 0) - (first.data[0]?.first_at ?? 0)).toBe(18);
  });

  it("names the model of a session whose other calls are for unknown models", async () => {
    const user = await site.makeUser();
    await site.database.pool.query(
      `INSERT INTO request_logs (created_at, request_id, type, user_id, model_name, session)
       SELECT now() + n * interval '1 second', 'mixed-' || n, 2, $1, CASE n WHEN 0 THEN 'm' ELSE '' END, '{"id": "mixed"}'
       FROM generate_series(0, 2) n`,
      [user.id],
    );
    const { data } = await list(await site.as(user));
    expect(data).toMatchObject([{ id: "mixed", model_name: "m", models: 1, calls: 3 }]);
  });

  it("shows the sessions of all users to administrators, or of one", async () => {
    const all = await list(admin, "size=100");
    expect(new Set(all.data.map(({ user_id }) => user_id)).size).toBeGreaterThan(1);
    const one = await list(admin, `size=100&username=${lister.username}`);
    expect(one.data).toHaveLength(9);
    expect((await list(other)).data).toEqual([]);
    expect((await list(other, `username=${lister.username}`)).data).toEqual([]);
  });

  it("returns how far back it searched, and continues there", async () => {
    await site.database.pool.query(
      `INSERT INTO request_logs (created_at, request_id, type, user_id, model_name)
       SELECT now() + interval '60 seconds', 'plain' || n, 2, $1, 'm' FROM generate_series(1, 10000) n`,
      [lister.id],
    );
    const page = await list(listing);
    expect(page).toMatchObject({ data: [], searched_until: expect.any(Number) as number });
    expect((await list(listing, `size=20&cursor=${page.next}`)).data).toHaveLength(9);
  });

  it("refuses a cursor that is none", async () => {
    expect((await listing.get("/api/log/sessions?cursor=x")).status).toBe(400);
    expect((await listing.get("/api/log/sessions?size=101")).status).toBe(400);
  });

  it("titles a session with its first question where the reader may see stored requests", async () => {
    const question = { messages: [{ role: "user", content: "Why is the build slow?" }] };
    await store("listed-1", question, true);
    await store("listed-2", { messages: [{ role: "user", content: "Kept by the channel" }] }, false);
    const titleOf = async (n: number, who: Browser) =>
      (await who.get<AgentSession>(`/api/log/session?id=listed-${n}&user_id=${lister.id}`)).body.data.title;
    expect(await titleOf(1, listing)).toBe("Why is the build slow?");
    expect(await titleOf(2, listing)).toBe("");
    expect(await titleOf(2, admin)).toBe("Kept by the channel");
    const { data } = await list(
      admin,
      `username=${lister.username}&size=20&cursor=${(await list(listing)).next}`,
    );
    expect(data.find(({ id }) => id === "listed-1")?.title).toBe("Why is the build slow?");
    const calls = (await listing.get<SessionCalls>("/api/log/session/calls?id=listed-1")).body.data.data;
    expect(calls.map(({ stored }) => stored)).toEqual([true, false, false]);
  });
});
