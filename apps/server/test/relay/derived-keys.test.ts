import type {
  DerivedKeyPage,
  DerivedKeyRestrictions,
  DerivedKeyRow,
} from "@gateway/shared/accounts/derived-key";
import type { LogPage } from "@gateway/shared/usage/log";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { completeDerivationHashes } from "#domain/tokens/derived-keys/derivation-hashes.ts";
import { deriveKey } from "#domain/tokens/derived-keys/derived-key.ts";
import { openSecrets } from "#platform/secrets.ts";
import { startTestGateway, type TestGateway, testSecretKey } from "#test/gateway.ts";

/** Keys that clients derive from their API key, over HTTP on two nodes. */
let gateway: TestGateway;
let other: TestGateway;
let key: string;
let tokenId: number;
const POINTS_PER_USD = 500_000;
const hour = 3_600;
const later = () => Math.floor(Date.now() / 1_000) + hour;

beforeAll(async () => {
  gateway = await startTestGateway();
  other = await startTestGateway({}, gateway);
  await gateway.addChannel({ type: 8, name: "a", models: ["dear", "demo-chat", "demo-realtime"] });
  await gateway.addPrice("dear", { input: 100, output: 100 });
});
beforeEach(async () => {
  gateway.upstream.control.reset();
  ({ key, id: tokenId } = await gateway.addToken());
});
afterAll(async () => {
  await other.stop();
  await gateway.stop();
});

const derive = (restrictions: DerivedKeyRestrictions = {}, parent = key) =>
  deriveKey(parent, parent === key ? { exp: later(), ...restrictions } : restrictions);

const paths = {
  openai: "/v1/chat/completions",
  responses: "/v1/responses",
  anthropic: "/v1/messages",
  gemini: "/v1beta/models/{model}:generateContent",
} as const;
type Dialect = keyof typeof paths;

interface Sent {
  from?: TestGateway;
  dialect?: Dialect;
  model?: string;
  headers?: Record<string, string>;
  /** Sends at most this. */
  maxTokens?: number;
  text?: string;
  stream?: boolean;
}

function request(apiKey: string, sent: Sent): Promise<Response> {
  const {
    from = gateway,
    dialect = "openai",
    model = "demo-chat",
    headers = {},
    maxTokens = 20,
    text = "Hi",
  } = sent;
  const messages = [{ role: "user", content: text }];
  const bodies: Record<Dialect, object> = {
    openai: { model, max_tokens: maxTokens, messages, stream: sent.stream ?? false },
    responses: { model, max_output_tokens: maxTokens, input: text },
    anthropic: { model, max_tokens: maxTokens, messages },
    gemini: {
      contents: [{ role: "user", parts: [{ text }] }],
      generationConfig: { maxOutputTokens: maxTokens },
    },
  };
  const auth: Record<string, string> =
    dialect === "anthropic"
      ? { "x-api-key": apiKey, "anthropic-version": "2023-06-01" }
      : dialect === "gemini"
        ? { "x-goog-api-key": apiKey }
        : { authorization: `Bearer ${apiKey}` };
  return fetch(from.url + paths[dialect].replace("{model}", model), {
    method: "POST",
    headers: { ...auth, "content-type": "application/json", ...headers },
    body: JSON.stringify(bodies[dialect]),
  });
}

async function send(apiKey: string, sent: Sent = {}) {
  const answer = await request(apiKey, sent);
  return { status: answer.status, text: await answer.text() };
}

const listed = (id = tokenId) => gateway.api<DerivedKeyPage>("GET", `/token/${id}/derived_keys?size=100`);
const revoke = (id: string) => gateway.api<DerivedKeyRow>("DELETE", `/token/${tokenId}/derived_keys/${id}`);

describe("a derived key", () => {
  it("works like its API key in every dialect, on every node, without having been registered", async () => {
    const { key: planner, id } = derive({ usd: "1", label: "planner" });
    const { key: worker, id: workerId } = derive({ label: "worker" }, planner);
    for (const [n, dialect] of (Object.keys(paths) as Dialect[]).entries())
      expect(await send(worker, { dialect, from: n % 2 === 0 ? gateway : other })).toMatchObject({
        status: 200,
      });
    const { data, total_count } = await listed();
    expect(total_count).toBe(2);
    expect(data).toEqual(
      expect.arrayContaining([
        expect.objectContaining({
          id,
          parent_id: null,
          label: "planner",
          quota: POINTS_PER_USD,
          reserved: 0,
        }),
        expect.objectContaining({
          id: workerId,
          parent_id: id,
          label: "worker",
          quota: null,
          revoked_at: null,
        }),
      ]),
    );
    expect(data[0]?.spent).toBeGreaterThan(0);
    expect(data[0]?.spent).toBe(data[1]?.spent);
    const { data: rows } = await gateway.api<LogPage>("GET", `/log?derived_key=${workerId}`);
    expect(rows).toHaveLength(4);
    expect(rows[0]).toMatchObject({
      token_id: tokenId,
      derived_key: { id: workerId, label: "planner / worker" },
    });
    expect((await gateway.api<LogPage>("GET", `/log?derived_key=${id}`)).data).toEqual([]);
    await send(key);
    await expect.poll(async () => (await gateway.logs(1, tokenId))[0]?.derived_key).toBeNull();
    expect(await gateway.drift()).toBe(0n);
  });

  it("is limited to its models and to those of the keys before it", async () => {
    const { key: outer } = derive({ models: ["demo-*"] });
    const { key: inner } = derive({ models: ["dear", "demo-chat"] }, outer);
    expect(await send(outer, { model: "dear" })).toMatchObject({
      status: 403,
      text: expect.stringContaining("model_not_allowed"),
    });
    expect((await send(inner, { model: "demo-chat" })).status).toBe(200);
    expect((await send(inner, { model: "dear" })).status).toBe(403);
    const models = await fetch(`${gateway.url}/v1/models`, { headers: { authorization: `Bearer ${inner}` } });
    expect(((await models.json()) as { data: { id: string }[] }).data.map((model) => model.id)).toEqual([
      "demo-chat",
    ]);
  });

  it("is limited to its addresses", async () => {
    const { key: outer } = derive({ ips: ["10.0.0.0/8"] });
    const { key: inner } = derive({ ips: ["10.1.0.0/16", "192.0.2.1"] }, outer);
    const from = (address: string) => ({ headers: { "x-forwarded-for": address } });
    expect((await send(inner, from("10.1.0.9"))).status).toBe(200);
    for (const address of ["10.2.0.9", "192.0.2.1"])
      expect(await send(inner, from(address))).toMatchObject({
        status: 403,
        text: expect.stringContaining(address),
      });
  });

  it("expires, also during a call, and must expire within a year", async () => {
    const soon = Math.floor(Date.now() / 1_000) + 2;
    const short = derive({ exp: soon });
    const stream = await request(short.key, {
      text: "[[length=400]] [[chunk-delay=50]]",
      maxTokens: 400,
      stream: true,
    });
    expect(stream.status).toBe(200);
    expect(await stream.text()).toContain("token_expired");
    // A level cannot extend the one before it.
    for (const late of [short.key, derive({ exp: later() }, short.key).key])
      expect(await send(late)).toMatchObject({ status: 401, text: expect.stringContaining("expired") });
    for (const wrong of [deriveKey(key, { usd: "1" }), derive({ exp: later() + 366 * 24 * hour })])
      expect(await send(wrong.key)).toMatchObject({ status: 401, text: expect.stringContaining("366 days") });
  });

  it.each(Object.keys(paths) as Dialect[])("is refused in the client's dialect: %s", async (dialect) => {
    const { key: spent } = derive({ usd: "0.000001", label: "tiny" });
    const refused = await send(spent, { dialect, model: "dear" });
    expect(refused.status).toBe(402);
    expect(refused.text).toContain("(tiny)");
    const broken = `${spent.slice(0, -5)}${spent.endsWith("AAAAA") ? "BBBBA" : "AAAAA"}`;
    const wrong = await send(broken, { dialect });
    expect(wrong.status).toBe(401);
    expect(wrong.text).toContain("The API key is not valid.");
    const unreadable = await send(`${spent}AAAA`, { dialect });
    expect(unreadable).toMatchObject({ status: 401, text: expect.stringContaining("cannot be read") });
    expect((await send(derive({ models: ["demo-chat"] }).key, { dialect, model: "dear" })).status).toBe(403);
  });

  it("counts as a wrong key when its MAC is wrong", async () => {
    const headers = { "x-forwarded-for": "198.51.100.77" };
    const wrong = () => derive({}, `${derive().key.slice(0, -8)}AAAAAAAA`).key;
    const statuses = await Promise.all(
      Array.from({ length: 130 }, async () => (await send(wrong(), { headers })).status),
    );
    expect(statuses.filter((status) => status === 401).length).toBeGreaterThanOrEqual(100);
    expect((await send(wrong(), { headers })).status).toBe(429);
  });

  it("chooses no channel, creates no key for a session, and shows its own credit", async () => {
    const { key: derived } = derive({ usd: "0.5" });
    expect((await send(`${derived}#1`)).status).toBe(401);
    const files = await fetch(`${gateway.url}/v1/files`, { headers: { authorization: `Bearer ${derived}` } });
    expect(files.status).toBe(403);
    const secret = await fetch(`${gateway.url}/v1/realtime/client_secrets`, {
      method: "POST",
      headers: { authorization: `Bearer ${derived}`, "content-type": "application/json" },
      body: JSON.stringify({ session: { type: "realtime", model: "demo-realtime" } }),
    });
    expect({ status: secret.status, text: await secret.text() }).toMatchObject({
      status: 403,
      text: expect.stringContaining("cannot create keys"),
    });
    const credit = await fetch(`${gateway.url}/v1/dashboard/billing/subscription`, {
      headers: { authorization: `Bearer ${derived}` },
    });
    expect(await credit.json()).toMatchObject({ hard_limit_usd: 0.5 });
    const usage = await fetch(`${gateway.url}/v1/usage`, { headers: { authorization: `Bearer ${derived}` } });
    const shown = (await usage.json()) as { limits: unknown[] };
    expect(shown).toMatchObject({ planName: "Key quota", remaining: 0.5, total: 0.5 });
    // The balance and the budgets of the account are not for whoever has this key.
    expect(shown.limits).toHaveLength(1);
    expect(shown).not.toHaveProperty("balance");
  });
});

describe("revoking", () => {
  it("a derived key ends its calls and those of the keys derived from it, on all nodes", async () => {
    const planner = derive({ label: "planner" });
    const worker = derive({ label: "worker" }, planner.key);
    const sibling = derive({ label: "sibling" });
    for (const from of [gateway, other])
      for (const each of [planner, worker, sibling])
        expect((await send(each.key, { from })).status).toBe(200);
    const running = await request(worker.key, {
      from: other,
      text: "[[length=2000]] [[chunk-delay=50]]",
      maxTokens: 2_000,
      stream: true,
    });
    expect(running.status).toBe(200);
    const rest = running.text();
    expect(await revoke(planner.id)).toMatchObject({ id: planner.id, revoked_at: expect.any(Number) });
    expect(await rest).toContain("revoked");
    for (const from of [gateway, other]) {
      for (const each of [planner, worker, derive({}, worker.key)])
        expect(await send(each.key, { from })).toMatchObject({
          status: 401,
          text: expect.stringContaining("revoked"),
        });
      expect((await send(sibling.key, { from })).status).toBe(200);
    }
    expect(await revoke(planner.id)).toMatchObject({ id: planner.id });
    await expect(revoke("0".repeat(32))).rejects.toThrow("404");
    const where = { action: "token.revoke-derived", target_id: String(tokenId) };
    expect(await gateway.database.db.auditEntry.count({ where })).toBe(1);
  });

  it("is possible for the owner of the token only", async () => {
    const { key: derived, id } = derive();
    await send(derived);
    await gateway.api("POST", "/user", { username: "someone", password: "a long password" });
    const { id: userId } = await gateway.database.db.user.findFirstOrThrow({
      where: { username: "someone" },
    });
    await gateway.database.db.token.update({ where: { id: tokenId }, data: { user_id: userId } });
    await expect(listed()).rejects.toThrow("404");
    await expect(revoke(id)).rejects.toThrow("404");
  });

  it.each<[string, () => Promise<unknown>]>([
    ["disabled", () => gateway.api("PATCH", `/token/${tokenId}`, { status: 2 })],
    ["deleted", () => gateway.api("DELETE", `/token/${tokenId}`)],
    ["given another key", () => gateway.api("PUT", "/token/admin", { id: tokenId, new_key: true })],
  ])("an API key that is %s revokes the keys derived from it, on all nodes", async (_, change) => {
    const { key: planner } = derive();
    const { key: worker } = derive({}, planner);
    for (const from of [gateway, other])
      for (const each of [planner, worker]) expect((await send(each, { from })).status).toBe(200);
    await change();
    for (const from of [gateway, other])
      for (const each of [planner, worker, derive({}, worker).key])
        await expect.poll(async () => (await send(each, { from })).status).toBeOneOf([401, 403]);
  });
});

describe("one dollar", () => {
  it("is not exceeded by the keys that sub-agents derive and use on two nodes", async () => {
    const { key: planner, id } = derive({ usd: "1.00", label: "planner" });
    const statuses = await Promise.all(
      Array.from({ length: 80 }, async (_, n) => {
        const { key: worker } = derive({ usd: "0.5", label: `worker ${n}` }, planner);
        const sent = {
          from: n % 2 === 0 ? gateway : other,
          model: "dear",
          maxTokens: 200,
          text: "[[length=150]]",
        };
        return (await send(worker, sent)).status;
      }),
    );
    // A busy machine also refuses some of 80 calls at once with 503.
    expect(new Set(statuses.filter((status) => status !== 503))).toEqual(new Set([200, 402]));
    const { spent, reserved } = await gateway.database.db.derivedKey.findUniqueOrThrow({ where: { id } });
    expect(reserved).toBe(0n);
    expect(spent).toBeLessThanOrEqual(BigInt(POINTS_PER_USD));
    const charged = await gateway.database.db.$queryRaw<{ quota: bigint }[]>`
      SELECT sum(quota)::bigint AS quota FROM request_logs WHERE token_id = ${tokenId}`;
    expect(spent).toBe(charged[0]?.quota);
    expect(await gateway.drift()).toBe(0n);
  });
});

it("a key of an earlier version is found once its hash was added", async () => {
  const { db } = gateway.database;
  await db.token.update({ where: { id: tokenId }, data: { derivation_hash: null } });
  const { key: derived } = derive();
  expect((await send(derived)).status).toBe(401);
  await completeDerivationHashes(db, openSecrets(testSecretKey), new AbortController().signal);
  // The refusal is cached for a few seconds.
  expect((await send(derived, { from: other })).status).toBe(200);
});
