import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { GoogleGenAI } from "@google/genai";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { startTestGateway, type TestGateway } from "#test/gateway.ts";
import { startScriptedServer } from "#test/scripted-servers.ts";

/** Gemini's cached contents, with Google's own SDK. */
let gateway: TestGateway;
let key: string;
let tokenId: number;
let ai: GoogleGenAI;

const clientOf = (apiKey: string) => new GoogleGenAI({ apiKey, httpOptions: { baseUrl: gateway.url } });
const text = "A long document. ".repeat(2_000);

beforeAll(async () => {
  gateway = await startTestGateway();
  const { upstream } = gateway;
  for (const [name, weight] of [
    ["one", 1],
    ["two", 100],
  ] as const)
    await gateway.addChannel({
      type: 25,
      name,
      base_url: upstream.url,
      key: `AIza-${name}`,
      models: ["gemini-2.5-flash"],
      weight,
    });
  await gateway.addChannel({ type: 8, name: "other", models: ["demo-chat"] });
});
beforeEach(async () => {
  gateway.upstream.control.reset();
  ({ key, id: tokenId } = await gateway.addToken());
  ai = clientOf(key);
});
afterAll(() => gateway.stop());

const create = (ttl = "7200s") =>
  ai.caches.create({ model: "gemini-2.5-flash", config: { contents: text, displayName: "doc", ttl } });

describe("cached contents", () => {
  it("are created, found, listed, extended, used and deleted", async () => {
    const made = await create();
    expect(made).toMatchObject({ displayName: "doc", model: "models/gemini-2.5-flash" });
    const tokens = made.usageMetadata?.totalTokenCount ?? 0;
    expect(tokens).toBeGreaterThan(5_000);
    const name = made.name ?? "";
    expect(await ai.caches.get({ name })).toMatchObject({ name, displayName: "doc" });
    const listed = [];
    for await (const content of await ai.caches.list({ config: { pageSize: 1 } })) listed.push(content.name);
    expect(listed).toEqual([name]);

    const response = await ai.models.generateContent({
      model: "gemini-2.5-flash",
      contents: "What does it say?",
      config: { cachedContent: name },
    });
    expect(response.usageMetadata?.cachedContentTokenCount).toBe(tokens);

    const later = await ai.caches.update({ name, config: { ttl: "10800s" } });
    expect(Date.parse(later.expireTime ?? "")).toBeGreaterThan(Date.parse(made.expireTime ?? ""));
    await ai.caches.delete({ name });
    await expect(ai.caches.get({ name })).rejects.toThrow(/not found/);
    expect(gateway.upstream.calls().filter(({ method }) => method === "DELETE")).toHaveLength(1);
    expect(await gateway.drift()).toBe(0n);
  });

  it("are used on the channel that holds them, whatever the weights", async () => {
    const names: string[] = [];
    for (let at = 0; at < 4; at += 1) names.push((await create()).name ?? "");
    const holders = new Map(
      gateway.upstream
        .calls()
        .map(({ headers }, at) => [names[at] ?? "", String(headers["x-goog-api-key"])] as const),
    );
    for (const name of names) {
      await ai.models.generateContent({
        model: "gemini-2.5-flash",
        contents: "Hi",
        config: { cachedContent: name },
      });
      expect(gateway.upstream.calls().at(-1)?.headers["x-goog-api-key"]).toBe(holders.get(name));
    }
  });

  it("are charged with their tokens and the whole time of storage", async () => {
    const made = await create();
    const tokens = made.usageMetadata?.totalTokenCount ?? 0;
    const [row] = await gateway.logs(1, tokenId);
    const lines = Object.fromEntries((row?.bill?.lines ?? []).map(({ kind, amount }) => [kind, amount]));
    expect(lines["input"]).toBe(tokens);
    expect(lines["tool:cache-storage"]).toBe(Math.ceil((tokens * 2) / 1_000));
    await ai.caches.update({ name: made.name ?? "", config: { ttl: "14400s" } });
    const [longer] = await gateway.logs(2, tokenId);
    const units = longer?.bill?.lines.find(({ kind }) => kind === "tool:cache-storage")?.amount ?? 0;
    expect(Math.abs(units - Math.ceil((tokens * 2) / 1_000))).toBeLessThanOrEqual(1);
    await ai.caches.update({ name: made.name ?? "", config: { ttl: "60s" } });
    const [shorter] = await gateway.logs(3, tokenId);
    expect(shorter?.quota).toBe(0);
    expect(await gateway.drift()).toBe(0n);
  });

  it("are visible to their own key only", async () => {
    const { name = "" } = await create();
    const stranger = clientOf((await gateway.addToken()).key);
    await expect(stranger.caches.get({ name })).rejects.toThrow(/"status":\s*"NOT_FOUND"/);
    await expect(stranger.caches.delete({ name })).rejects.toThrow(/not found/);
    await expect(stranger.caches.update({ name, config: { ttl: "60s" } })).rejects.toThrow(/not found/);
    const use = stranger.models.generateContent({
      model: "gemini-2.5-flash",
      contents: "Hi",
      config: { cachedContent: name },
    });
    await expect(use).rejects.toThrow(/belongs to another API key/);
    const { key: other } = await gateway.addToken();
    const contents = [{ role: "user", parts: [{ text: "Hi" }] }];
    for (const [path, body] of [
      [
        "/v1/interactions",
        { model: "gemini-2.5-flash", input: "Hi", cachedContent: "", cached_content: name },
      ],
      [
        "/v1beta/models/gemini-2.5-flash:countTokens",
        { generateContentRequest: { contents, cachedContent: name } },
      ],
    ] as const) {
      const response = await fetch(gateway.url + path, {
        method: "POST",
        headers: { "x-goog-api-key": other, "content-type": "application/json" },
        body: JSON.stringify(body),
      });
      expect({ path, status: response.status }).toEqual({ path, status: 404 });
    }
    const listed = [];
    for await (const content of await stranger.caches.list()) listed.push(content);
    expect(listed).toEqual([]);
  });

  it("are refused with a clear error for models of other providers and for impossible lifetimes", async () => {
    const other = ai.caches.create({ model: "demo-chat", config: { contents: text } });
    await expect(other).rejects.toThrow(/No provider of the model .*demo-chat.* keeps cached contents/);
    await expect(create("9999999s")).rejects.toThrow(/at most 7 days/);
    await expect(create("0s")).rejects.toThrow(/at least one second/);
    await expect(ai.caches.create({ model: "no-such-model", config: { contents: text } })).rejects.toThrow(
      /"code":\s*404/,
    );
    expect(gateway.upstream.calls()).toEqual([]);
  });

  it("are charged with the storage of all tokens of a file, whatever its size is", async () => {
    const tokens = 250_000;
    const at = (ms: number) => new Date(Date.now() + ms).toISOString();
    const provider = await startScriptedServer();
    provider.play(() => ({
      json: {
        name: "cachedContents/pages",
        createTime: at(0),
        updateTime: at(0),
        expireTime: at(3_600_000),
        usageMetadata: { totalTokenCount: tokens },
      },
    }));
    const model = "gemini-2.5-pro";
    await gateway.addChannel({ type: 25, name: "pages", base_url: provider.url, models: [model] });
    const data = Buffer.alloc(15_700, "%PDF-1.7 ").toString("base64");
    const inlineData = { mimeType: "application/pdf", data };
    const contents = [{ role: "user", parts: [{ inlineData }] }];
    await ai.caches.create({ model, config: { contents, ttl: "3600s" } });
    const [row] = await gateway.logs(1, tokenId);
    const lines = Object.fromEntries((row?.bill?.lines ?? []).map(({ kind, amount }) => [kind, amount]));
    expect(lines["input"]).toBe(tokens);
    expect(lines["tool:cache-storage"]).toBe(tokens / 1_000);
    expect(row?.bill?.implausible).toBeUndefined();
    await provider.close();
  });

  it("are charged with their storage when the client leaves before the provider responds", async () => {
    const arrived = Promise.withResolvers<void>();
    const answer = Promise.withResolvers<void>();
    const at = (ms: number) => new Date(Date.now() + ms).toISOString();
    const provider = createServer((request, response) => {
      request.resume().on("end", () => {
        arrived.resolve();
        void answer.promise.then(() =>
          response.setHeader("content-type", "application/json").end(
            JSON.stringify({
              name: "cachedContents/left",
              createTime: at(0),
              updateTime: at(0),
              expireTime: at(3_600_000),
              usageMetadata: { totalTokenCount: 10_000 },
            }),
          ),
        );
      });
    });
    provider.listen(0, "127.0.0.1");
    await once(provider, "listening");
    const base_url = `http://127.0.0.1:${(provider.address() as AddressInfo).port}`;
    const model = "gemini-2.5-flash-lite";
    await gateway.addChannel({ type: 25, name: "left", base_url, models: [model] });
    const leaving = new AbortController();
    const made = fetch(`${gateway.url}/v1beta/cachedContents`, {
      method: "POST",
      signal: leaving.signal,
      headers: { "x-goog-api-key": key, "content-type": "application/json" },
      body: JSON.stringify({ model: `models/${model}`, contents: [{ parts: [{ text }] }], ttl: "3600s" }),
    });
    made.catch(() => {});
    await arrived.promise;
    leaving.abort();
    // Another response, after which the gateway has noticed that the client left.
    await ai.caches.list();
    answer.resolve();
    const [row] = await gateway.logs(1, tokenId);
    expect(row).toMatchObject({ outcome: "client-left", estimated: false });
    expect(row?.bill?.lines.find(({ kind }) => kind === "tool:cache-storage")?.amount).toBe(10);
    expect(await gateway.drift()).toBe(0n);
    provider.closeAllConnections();
    provider.close();
  });

  it("need a balance for all of their storage", async () => {
    const poor = await gateway.addToken({ unlimited_quota: false, remain_quota: 100 });
    const made = clientOf(poor.key).caches.create({ model: "gemini-2.5-flash", config: { contents: text } });
    await expect(made).rejects.toThrow(/quota/);
    expect(gateway.upstream.calls()).toEqual([]);
  });
});
