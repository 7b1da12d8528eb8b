import type { LogBodies } from "@gateway/shared/usage/log";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startTestGateway, type TestGateway } from "#test/gateway.ts";

/** Request and response bodies are kept only where a token or a channel enables it. */
let gateway: TestGateway;

beforeAll(async () => {
  gateway = await startTestGateway();
  await gateway.addChannel({ type: 8, name: "plain" });
});
afterAll(() => gateway.stop());

async function call(key: string, body: object): Promise<{ id: string; text: string }> {
  const response = await fetch(`${gateway.url}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify({ model: "demo-chat", ...body }),
  });
  return { id: response.headers.get("x-request-id") ?? "", text: await response.text() };
}

const say = (content: string) => ({ messages: [{ role: "user", content }] });
const kept = (id: string) => gateway.api<LogBodies | null>("GET", `/log/${id}/bodies`);

async function keptSoon(id: string): Promise<LogBodies | null> {
  await expect.poll(() => kept(id)).not.toBeNull();
  return kept(id);
}

describe("request and response bodies", () => {
  it("are not kept by default", async () => {
    const { key } = await gateway.addToken();
    const { id } = await call(key, say("A secret of mine"));
    await gateway.logs();
    expect(await kept(id)).toBeNull();
    const { rows } = await gateway.database.pool.query("SELECT FROM request_bodies");
    expect(rows).toHaveLength(0);
  });

  it("are kept encrypted for a token that enables it, whether complete, streamed or failed", async () => {
    const { key } = await gateway.addToken({ setting: { log_bodies: true } });
    const whole = await call(key, say("Good morning"));
    expect(await keptSoon(whole.id)).toMatchObject({
      request: JSON.stringify({ model: "demo-chat", ...say("Good morning") }),
      response: whole.text,
      response_bytes: Buffer.byteLength(whole.text),
    });
    const streamed = await call(key, { ...say("Good evening"), stream: true });
    expect((await keptSoon(streamed.id))?.response).toBe(streamed.text);
    const failed = await call(key, say("[[status=400]] no"));
    expect(await keptSoon(failed.id)).toMatchObject({ response: "", response_bytes: 0 });
    const { rows } = await gateway.database.pool.query<{ request: Buffer }>(
      "SELECT request FROM request_bodies",
    );
    expect(rows).toHaveLength(3);
    expect(rows.map((row) => row.request.toString("latin1")).join("")).not.toContain("Good");
  });

  it("are not kept for a call that is refused before a provider receives it", async () => {
    const { key } = await gateway.addToken({ setting: { log_bodies: true } });
    const refused = await call(key, { ...say("x".repeat(1_000)), model: "no-such-model" });
    const next = await call(key, say("Hello"));
    await keptSoon(next.id);
    expect(await kept(refused.id)).toBeNull();
  });

  it("are truncated at the configured size, with their original size", async () => {
    await gateway.api("PUT", "/option", { key: "BodyKilobytes", value: 1 });
    const { key } = await gateway.addToken({ setting: { log_bodies: true } });
    const { id } = await call(key, say("x".repeat(5_000)));
    const bodies = await keptSoon(id);
    expect(bodies?.request).toHaveLength(1_024);
    expect(bodies?.request_bytes).toBeGreaterThan(5_000);
  });

  it("are kept for a channel that enables it, for administrators only", async () => {
    await gateway.addChannel({ type: 8, name: "watched", models: ["demo-chat-mini"], log_bodies: true });
    const user = await gateway.api<{ id: number }>("POST", "/user", {
      username: "someone",
      password: "a password 123",
      quota: 5_000_000,
    });
    const session = await fetch(`${gateway.url}/api/user/login`, {
      method: "POST",
      headers: { "api-version": "2", "content-type": "application/json" },
      body: JSON.stringify({ username: "someone", password: "a password 123" }),
    });
    const cookie = session.headers.get("set-cookie")?.split(";")[0] ?? "";
    const asUser = async <T>(method: string, path: string, body?: object): Promise<T> => {
      const response = await fetch(`${gateway.url}/api${path}`, {
        method,
        headers: { cookie, "api-version": "2", "content-type": "application/json", origin: gateway.url },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      return ((await response.json()) as { data: T }).data;
    };
    expect(user.id).toBeGreaterThan(1);
    const plain = await asUser<{ key: string }>("POST", "/token", { name: "plain" });
    const watched = await call(plain.key, { ...say("Hello"), model: "demo-chat-mini" });
    expect((await keptSoon(watched.id))?.response).toBe(watched.text);
    expect(await asUser("GET", `/log/${watched.id}/bodies`)).toBeNull();
    const own = await asUser<{ key: string }>("POST", "/token", {
      name: "own",
      setting: { log_bodies: true },
    });
    const mine = await call(own.key, say("Hello"));
    await keptSoon(mine.id);
    expect(await asUser("GET", `/log/${mine.id}/bodies`)).toMatchObject({ response: mine.text });
  });
});
