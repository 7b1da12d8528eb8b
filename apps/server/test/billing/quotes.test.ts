import { once } from "node:events";
import fc from "fast-check";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { WebSocket } from "ws";
import { readQuotes } from "#domain/quotes/report.ts";
import { deriveKey } from "#domain/tokens/derived-keys/derived-key.ts";
import { startTestGateway, type TestGateway } from "#test/gateway.ts";
import { runs } from "#test/property-runs.ts";

/** Prices that a call will not exceed: `POST /v1/quote` and `x-quote-id`. */
let gateway: TestGateway;
/** A second node. */
let other: TestGateway;
let key: string;
let tokenId: number;

beforeAll(async () => {
  gateway = await startTestGateway();
  await gateway.addChannel({ type: 8, name: "a", models: ["quoted", "quoted-2"] });
  await gateway.addPrice("quoted", { input: 10, output: 10 });
  await gateway.addPrice("quoted-2", { input: 10, output: 10 });
  other = await startTestGateway({}, gateway);
});
beforeEach(async () => {
  gateway.upstream.control.reset();
  ({ key, id: tokenId } = await gateway.addToken());
});
afterAll(async () => {
  await other.stop();
  await gateway.stop();
});

const chat = { model: "quoted", max_tokens: 100, messages: [{ role: "user", content: "Hi" }] };

interface Sent {
  at?: TestGateway;
  path?: string;
  body?: object;
  headers?: Record<string, string>;
  by?: string;
}

async function send({
  at = gateway,
  path = "/v1/chat/completions",
  body = chat,
  headers = {},
  by = key,
}: Sent) {
  const response = await fetch(at.url + path, {
    method: "POST",
    headers: { authorization: `Bearer ${by}`, "content-type": "application/json", ...headers },
    body: JSON.stringify(body),
  });
  const text = await response.text();
  const json = text.startsWith("{") ? (JSON.parse(text) as Record<string, never>) : {};
  const { error } = json as { error?: { code?: string; type?: string; status?: string; message: string } };
  return { status: response.status, json, error };
}

interface QuoteAnswer {
  id: string;
  price_usd: string;
  expires_at: number;
}

async function quote({ path = "/v1/chat/completions", ...rest }: Sent = {}): Promise<QuoteAnswer> {
  const { status, json } = await send({ path: `/v1/quote?endpoint=${encodeURIComponent(path)}`, ...rest });
  expect(status, JSON.stringify(json)).toBe(200);
  return json as unknown as QuoteAnswer;
}

const using = ({ id }: { id: string }) => ({ "x-quote-id": id });

async function setPrice(model: string, ratio: number): Promise<void> {
  await gateway.api("PUT", "/prices/single/" + model, {
    model,
    type: "tokens",
    channel_type: 1,
    input: ratio,
    output: ratio,
  });
}

describe("a quote", () => {
  it("is the most that the call is charged", async () => {
    const { id, price_usd: price, expires_at: expires } = await quote();
    expect(price).toMatch(/^0\.00\d{4}$/);
    expect(expires * 1_000).toBeGreaterThan(Date.now());
    expect(gateway.upstream.calls()).toEqual([]);
    expect((await send({ headers: using({ id }) })).status).toBe(200);
    const [row] = await gateway.logs(1, tokenId);
    expect(row!.quota).toBeLessThanOrEqual(Number(price) * 500_000);
    expect(row!.bill?.quote?.id).toBe(id);
  });

  it("is kept after the price was raised, at the operator's expense", async () => {
    await setPrice("quoted", 10);
    const promised = await quote();
    await setPrice("quoted", 5_000);
    try {
      expect((await send({ headers: using(promised) })).status).toBe(200);
    } finally {
      await setPrice("quoted", 10);
    }
    const [row] = await gateway.logs(1, tokenId);
    const most = Math.round(Number(promised.price_usd) * 500_000);
    expect(row!.quota).toBe(most);
    const excess = BigInt(row!.bill?.uncollected ?? "0");
    expect(excess).toBeGreaterThan(0n);
    const [found] = await readQuotes(gateway.database.pool, new Date(0));
    expect(found).toMatchObject({ model: "quoted", exceeded: 1, excess });
    const explained = await gateway.api<{ agrees: boolean }>("GET", `/log/${row!.id}/explain`);
    expect(explained.agrees).toBe(true);
    expect(await gateway.drift()).toBe(0n);
  });

  it("is for one call, at whichever node and in whichever form", async () => {
    const promised = await quote();
    const derived = deriveKey(key, { exp: Math.floor(Date.now() / 1_000) + 3_600 }).key;
    const answers = await Promise.all(
      [gateway, other].flatMap((at) =>
        [key, derived].map((by) => send({ headers: using(promised), at, by })),
      ),
    );
    expect(answers.map(({ status }) => status).sort((a, b) => a - b)).toEqual([200, 402, 402, 402]);
    const refused = answers.find(({ status }) => status === 402);
    expect(refused?.error).toMatchObject({ code: "quote_not_valid" });
    expect(refused?.error?.message).toContain("already used");
  });

  it("is refused with one clear error in each dialect", async () => {
    const promised = await quote();
    const { key: otherKey } = await gateway.addToken();
    const stranger = await send({ headers: using(promised), by: otherKey });
    expect(stranger).toMatchObject({ status: 402, error: { code: "quote_not_valid" } });
    expect(stranger.error?.message).toContain("No quote of this API key");
    const changed = await send({ headers: using(promised), body: { ...chat, max_tokens: 101 } });
    expect(changed.error?.message).toContain("another request");
    const messages = await send({ path: "/v1/messages", headers: using(promised) });
    expect(messages).toMatchObject({ status: 402, error: { type: "billing_error" } });
    const gemini = await send({
      path: "/v1beta/models/quoted:generateContent",
      body: { contents: [{ role: "user", parts: [{ text: "Hi" }] }] },
      headers: using(promised),
    });
    expect(gemini.status).toBe(402);
    expect(gemini.error?.message).toContain("another request");
    await gateway.database.pool.query("UPDATE quotes SET expires_at = now() WHERE id = $1", [promised.id]);
    const late = await send({ headers: using(promised) });
    expect(late.error?.message).toContain("expired");
    const [refusal] = await gateway.logs(1, tokenId);
    expect(refusal).toMatchObject({ quota: 0, error_code: "quote_not_valid" });
    expect(gateway.upstream.calls()).toEqual([]);
  });

  it("is given for every chat dialect", async () => {
    const gemini = {
      contents: [{ role: "user", parts: [{ text: "Hi" }] }],
      generationConfig: { maxOutputTokens: 9 },
    };
    const cases: [string, object][] = [
      ["/v1/chat/completions", chat],
      ["/v1/chat/completions", { ...chat, stream: true }],
      ["/v1/messages", chat],
      ["/v1/messages", { ...chat, stream: true }],
      ["/v1/responses", { model: "quoted", input: "Hi", max_output_tokens: 100, store: false }],
      ["/v1beta/models/quoted:generateContent", gemini],
      ["/v1beta/interactions", { model: "quoted", input: "Hi", store: false }],
    ];
    for (const [path, body] of cases) {
      const promised = await quote({ path, body });
      const { status, json } = await send({ path, body, headers: using(promised) });
      expect(status, `${path} ${JSON.stringify(json)}`).toBe(200);
      const nested = await send({ path: `/v1/quote${path}`, body });
      expect(nested.json).toMatchObject({ object: "quote", price_usd: promised.price_usd });
    }
  });

  it("is given back by a call that fails before its response", async () => {
    const promised = await quote();
    gateway.upstream.control.set({ status: 400, times: 1 });
    expect((await send({ headers: using(promised) })).status).toBe(400);
    gateway.upstream.control.reset();
    await expect
      .poll(async () => (await send({ headers: using(promised) })).status, { timeout: 5_000 })
      .toBe(200);
  });

  it("reserves the whole price at a channel that reserves less", async () => {
    await gateway.addPrice("partly", { input: 10, output: 10 });
    await gateway.addChannel({ type: 8, name: "p", models: ["partly"], pre_cost: 3 });
    const body = { ...chat, model: "partly" };
    const { price_usd: price } = await quote({ body });
    expect(Number(price)).toBeGreaterThan(100 * 0.00002 * 0.99);
  });

  it("covers the search of a model that searches for every response", async () => {
    const model = "gpt-4o-search-preview";
    await gateway.addPrice(model, { input: 1, output: 1 });
    await gateway.addChannel({ type: 8, name: "s", models: [model] });
    const body = { ...chat, model };
    const promised = await quote({ body });
    expect(Number(promised.price_usd)).toBeGreaterThan(0.01);
    expect((await send({ body, headers: { "x-max-price": "0.009" } })).status).toBe(402);
    expect((await send({ body, headers: using(promised) })).status).toBe(200);
    const [row] = await gateway.logs(2, tokenId);
    expect(row!.bill?.quote?.id).toBe(promised.id);
    expect(row!.quota).toBeGreaterThan(0.01 * 500_000);
    expect(row!.bill?.uncollected).toBeUndefined();
  });

  it("is not for a conversation whose items were replaced by dearer ones", async () => {
    const client = gateway.openai(key);
    const text = { role: "user" as const, content: "word ".repeat(20_000) };
    const { id } = await client.conversations.create({ items: [{ type: "message", ...text }] });
    const body = { model: "quoted", input: "Hi", max_output_tokens: 100, conversation: id };
    const promised = await quote({ path: "/v1/responses", body });
    const { data } = await client.conversations.items.list(id);
    await client.conversations.items.delete(data[0]!.id!, { conversation_id: id });
    // Fewer tokens by its size, and up to the context window by its content.
    const file = {
      type: "input_file",
      filename: "a.pdf",
      file_data: `data:application/pdf;base64,${"A".repeat(4_000)}`,
    };
    await client.conversations.items.create(id, {
      items: [{ type: "message", role: "user", content: [file as never] }],
    });
    const { status, error } = await send({ path: "/v1/responses", body, headers: using(promised) });
    expect({ status, code: error?.code }).toEqual({ status: 402, code: "quote_not_valid" });
  });

  it("is for the same text whatever its length is", async () => {
    const mixed = `${"word ".repeat(30_000)}${"价格".repeat(30_000)}${"a1".repeat(30_000)}`;
    const body = { ...chat, messages: [{ role: "user", content: mixed }] };
    for (let count = 0; count < 5; count += 1) {
      const promised = await quote({ body });
      const { status, error } = await send({ body, headers: using(promised) });
      expect(status, error?.message).toBe(200);
    }
  });

  it("is not possible for a price that no one knows", async () => {
    const unknown = await send({ path: "/v1/quote", body: chat });
    expect(unknown).toMatchObject({ status: 400, error: { code: "invalid_request" } });
    expect(unknown.error?.message).toContain("/v1/quote?endpoint=");
    const image = { type: "image_url", image_url: { url: "https://example.com/a.png" } };
    const seen = await send({
      path: "/v1/quote/v1/chat/completions",
      body: { ...chat, messages: [{ role: "user", content: [image] }] },
    });
    expect(seen.error?.message).toContain("cannot be quoted");
    const background = { model: "quoted", input: "Hi", background: true };
    const promised = await quote();
    for (const sent of [
      { path: "/v1/quote/v1/responses", body: background },
      { path: "/v1/responses", body: background, headers: using(promised) },
    ])
      expect((await send(sent)).error?.message).toContain("cannot be quoted");
    for (const path of ["/v1/realtime?model=quoted", "/v1/responses"]) {
      const socket = new WebSocket(gateway.url.replace("http", "ws") + path, {
        headers: { authorization: `Bearer ${key}`, ...using(promised) },
      });
      const [error] = (await once(socket, "error")) as [Error];
      expect(error.message).toContain("400");
    }
    expect((await send({ headers: using(promised) })).status).toBe(200);
    const embeddings = await send({
      path: "/v1/embeddings",
      body: { model: "quoted", input: "x" },
      headers: { "x-quote-id": "quote_x" },
    });
    expect(embeddings).toMatchObject({ status: 400 });
    expect((await send({ headers: { "x-quote-id": "1; DROP" } })).status).toBe(400);
  });

  it("is refused in each dialect while the operator has quotes off, also when it was given before", async () => {
    const promised = await quote();
    const set = (QuotesEnabled: boolean | null) =>
      gateway.api("PUT", "/option/batch", { values: { QuotesEnabled } });
    await set(false);
    try {
      const cases: [string, object][] = [
        ["/v1/chat/completions", chat],
        ["/v1/responses", { model: "quoted", input: "Hi" }],
        ["/v1/messages", chat],
        ["/v1beta/models/quoted:generateContent", { contents: [{ role: "user", parts: [{ text: "Hi" }] }] }],
      ];
      for (const [path, body] of cases)
        for (const sent of [
          { path: `/v1/quote${path}`, body },
          { path, body, headers: using(promised) },
        ]) {
          const { status, error } = await send(sent);
          expect(status, sent.path).toBe(403);
          expect(error?.message, sent.path).toContain("This gateway has no quotes");
        }
      // A maximum price needs no quote.
      expect((await send({ headers: { "x-max-price": "1" } })).status).toBe(200);
    } finally {
      await set(null);
    }
    expect((await send({ headers: using(promised) })).status).toBe(200);
  });

  it("is refused for a key whose group or backup group has quotes off", async () => {
    await gateway.api("POST", "/user_group", {
      symbol: "unquoted",
      name: "Unquoted",
      ratio: 1,
      api_rate: 600,
      public: true,
      min: 0,
      max: 0,
      quotes: false,
    });
    const path = "/v1/quote/v1/chat/completions";
    for (const groups of [{ group: "unquoted" }, { backup_group: "unquoted" }]) {
      const { key: by } = await gateway.addToken(groups);
      const { status, error } = await send({ path, by });
      expect(status).toBe(403);
      expect(error?.message).toContain('off for the group "unquoted"');
    }
    expect((await send({ path })).status).toBe(200);
  });

  it("ends after the time that the operator sets", async () => {
    await gateway.api("PUT", "/option/batch", { values: { QuoteSeconds: 60 } });
    const { expires_at: expires } = await quote();
    await gateway.api("PUT", "/option/batch", { values: { QuoteSeconds: null } });
    expect(expires * 1_000 - Date.now()).toBeLessThanOrEqual(61_000);
  });

  it("is not possible beyond the number of open ones that the operator sets, also at once at two nodes", async () => {
    const { pool } = gateway.database;
    const { rows: open } = await pool.query(
      "SELECT FROM quotes WHERE expires_at > now() AND request_id IS NULL",
    );
    await pool.query(
      `INSERT INTO quotes (id, user_id, token_id, request_hash, model, amount, input, output, expires_at)
       SELECT 'quote_full' || n, t.user_id, t.id, '', 'quoted', 1, 1, 1, now() + interval '1 minute'
       FROM tokens t, generate_series(1, $2) n WHERE t.id = $1`,
      [tokenId, 990 - open.length],
    );
    // Each count ends before another quote is stored.
    await pool.query(
      `CREATE FUNCTION store_slowly() RETURNS trigger LANGUAGE plpgsql
       AS 'BEGIN PERFORM pg_sleep(0.05); RETURN NEW; END'`,
    );
    await pool.query(
      "CREATE TRIGGER store_slowly BEFORE INSERT ON quotes FOR EACH ROW EXECUTE FUNCTION store_slowly()",
    );
    const answers = await Promise.all(
      Array.from({ length: 60 }, (_, index) =>
        send({ path: "/v1/quote/v1/chat/completions", at: index % 2 === 0 ? gateway : other }),
      ),
    );
    await pool.query("DROP FUNCTION store_slowly CASCADE");
    await pool.query("DELETE FROM quotes WHERE request_id IS NULL");
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(10);
    const refused = answers.filter(({ status }) => status !== 200);
    expect(new Set(refused.map(({ error }) => error?.code))).toEqual(new Set(["rate_limit_exceeded"]));
  });

  it(
    "is kept whatever the sizes, prices and usages are, with a drift of 0",
    { timeout: 120_000 },
    async () => {
      const before = fc.integer({ min: 1, max: 200 });
      const after = fc.integer({ min: 1, max: 2_000 });
      const words = fc.integer({ min: 1, max: 400 });
      const limit = fc.integer({ min: 1, max: 300 });
      await fc.assert(
        fc.asyncProperty(before, after, words, limit, async (from, to, length, max) => {
          await setPrice("quoted-2", from);
          const body = {
            model: "quoted-2",
            max_tokens: max,
            messages: [{ role: "user", content: "word ".repeat(length) }],
          };
          const promised = await quote({ body });
          await setPrice("quoted-2", to);
          expect((await send({ body, headers: using(promised) })).status).toBe(200);
          const [row] = await gateway.logs(1, tokenId);
          expect(row!.bill?.quote?.id).toBe(promised.id);
          expect(row!.quota).toBeLessThanOrEqual(Math.round(Number(promised.price_usd) * 500_000));
        }),
        { numRuns: runs(4) },
      );
      expect(await gateway.drift()).toBe(0n);
    },
  );
});
