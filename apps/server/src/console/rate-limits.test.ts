import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { buildConsole, type TestConsole, version2 } from "#test/console.ts";

let site: TestConsole;

beforeAll(async () => {
  site = await buildConsole({ apiRateLimit: 4 });
});
afterAll(() => site.close());

let addresses = 0;
const anywhere = () => `10.20.${(addresses += 1) >> 8}.${addresses & 255}`;

async function ask(url: string, from: string, credential: Record<string, string> = {}) {
  const headers = { ...version2, "x-forwarded-for": from, ...credential };
  const response = await site.app.inject({ url, headers });
  return { status: response.statusCode, limit: response.headers["x-ratelimit-limit"], body: response.body };
}

async function statuses(
  count: number,
  request: () => ReturnType<typeof ask>,
): Promise<Record<number, number>> {
  const seen: Record<number, number> = {};
  for (let n = 0; n < count; n += 1) {
    const { status } = await request();
    seen[status] = (seen[status] ?? 0) + 1;
  }
  return seen;
}

describe("rate limit of /api", () => {
  it("counts a guest's address, and all addresses of an IPv6 network as one", async () => {
    expect(await statuses(6, () => ask("/api/status", "203.0.113.1"))).toEqual({ 200: 4, 429: 2 });
    expect(await statuses(1, () => ask("/api/status", "203.0.113.2"))).toEqual({ 200: 1 });
    let host = 0;
    const network = () => ask("/api/status", `2001:db8:0:7::${(host += 1).toString(16)}`);
    expect(await statuses(6, network)).toEqual({ 200: 4, 429: 2 });
    expect(await statuses(1, () => ask("/api/status", "2001:db8:0:8::1"))).toEqual({ 200: 1 });
  });

  it("counts a session across addresses, and each session of an account separately", async () => {
    const user = await site.makeUser();
    const one = { cookie: `session=${(await site.as(user)).cookie}` };
    const two = { cookie: `session=${(await site.as(user)).cookie}` };
    // The first request of a session that is new to this node is counted for its address.
    expect(await statuses(43, () => ask("/api/user/self", anywhere(), one))).toEqual({ 200: 41, 429: 2 });
    expect((await ask("/api/user/self", anywhere(), one)).body).toContain("too_many_of_session");
    expect(await statuses(20, () => ask("/api/user/self", anywhere(), two))).toEqual({ 200: 20 });
  });

  it("counts an access token for its account, separately from the account's sessions", async () => {
    const authorization = "the access token of one account";
    const user = await site.makeUser({ access_token_hash: site.services.secrets.hash(authorization) });
    const session = { cookie: `session=${(await site.as(user)).cookie}` };
    expect(await statuses(23, () => ask("/api/user/self", anywhere(), { authorization }))).toEqual({
      200: 21,
      429: 2,
    });
    expect((await ask("/api/user/self", anywhere(), { authorization })).body).toContain(
      "too_many_of_account",
    );
    expect((await ask("/api/user/self", anywhere(), session)).status).toBe(200);
  });

  it("counts sessions behind one address separately, and independent of guests at the address", async () => {
    const behind = "203.0.113.9";
    const people = await Promise.all(
      [0, 1].map(async () => ({ cookie: `session=${(await site.as(await site.makeUser())).cookie}` })),
    );
    expect(await statuses(6, () => ask("/api/status", behind))).toEqual({ 200: 4, 429: 2 });
    // Sessions that are new to this node, while their address has used up its limit.
    for (const person of people)
      expect(await statuses(20, () => ask("/api/user/self", behind, person))).toEqual({ 200: 20 });
  });

  it("counts invented and ended credentials for the address", async () => {
    let number = 0;
    const invented = () => ask("/api/user/self", "203.0.113.20", { cookie: `session=${(number += 1)}` });
    expect(await statuses(6, invented)).toEqual({ 401: 4, 429: 2 });
    const tokens = () =>
      ask("/api/user/self", "203.0.113.21", { authorization: `invented-${(number += 1)}` });
    expect(await statuses(6, tokens)).toEqual({ 401: 4, 429: 2 });
    const user = await site.makeUser();
    const left = { cookie: `session=${(await site.as(user)).cookie}` };
    expect((await ask("/api/user/self", "203.0.113.22", left)).status).toBe(200);
    await site.services.db.session.deleteMany({ where: { user_id: user.id } });
    // One more request is counted for the account; it reveals that the session has ended.
    expect(await statuses(6, () => ask("/api/user/self", "203.0.113.22", left))).toEqual({
      401: 4,
      429: 2,
    });
  });

  it("does not let an account guess secrets more often than its address may", async () => {
    const person = { cookie: `session=${(await site.as(await site.makeUser())).cookie}` };
    await ask("/api/user/self", anywhere(), person);
    const guess = async (credential: Record<string, string>) => {
      const headers = { ...version2, "x-forwarded-for": "203.0.113.30", ...credential };
      const url = "/api/user/login";
      const response = await site.app.inject({
        method: "POST",
        url,
        headers: { ...headers, origin: "http://localhost:80" },
        // Counted before it is read.
        payload: {},
      });
      return { status: response.statusCode, limit: "", body: response.body };
    };
    let round = 0;
    expect(await statuses(22, () => guess((round += 1) % 2 ? person : {}))).toEqual({ 400: 20, 429: 2 });
  });
});
