import type { TokenRow } from "@gateway/shared/accounts/token";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startTestGateway, type TestGateway } from "#test/gateway.ts";

/** A token with a new key, and the previous key during the overlap. */
let gateway: TestGateway;
/** Another node on the same database. */
let second: TestGateway;

beforeAll(async () => {
  gateway = await startTestGateway();
  second = await startTestGateway({}, gateway);
  await gateway.addChannel({ type: 1, name: "a", models: ["demo-chat"] });
});
afterAll(async () => {
  await second.stop();
  await gateway.stop();
});

type Created = TokenRow & { key: string };
const rotate = (id: number, overlap_hours: number) =>
  gateway.api<Created>("POST", `/token/${id}/rotate`, { overlap_hours });

async function statusOf(key: string, node = gateway): Promise<number> {
  const answer = await fetch(`${node.url}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify({ model: "demo-chat", max_tokens: 10, messages: [{ role: "user", content: "Hi" }] }),
  });
  await answer.text();
  return answer.status;
}

const untilRefused = (key: string, node: TestGateway) =>
  expect.poll(() => statusOf(key, node), { timeout: 10_000 }).toBe(401);

describe("the rotation of a key", () => {
  it("lets both keys work during the overlap, with one budget and one row", async () => {
    const token = await gateway.addToken({ unlimited_quota: false, remain_quota: 1_000_000 });
    expect(await statusOf(token.key)).toBe(200);
    const rotated = await rotate(token.id, 24);
    expect(rotated.key).not.toBe(token.key);
    expect(rotated).toMatchObject({ id: token.id, previous_key: { hint: token.key_hint } });
    const until = (rotated.previous_key?.until ?? 0) * 1_000 - Date.now();
    expect(until).toBeGreaterThan(23.9 * 3_600_000);
    expect(until).toBeLessThanOrEqual(24 * 3_600_000);
    for (const node of [gateway, second])
      for (const key of [token.key, rotated.key]) expect(await statusOf(key, node)).toBe(200);
    const calls = await gateway.logs(5, token.id);
    const charged = calls.reduce((sum, { quota }) => sum + quota, 0);
    const row = await gateway.api<TokenRow>("GET", `/token/${token.id}`);
    expect(row).toMatchObject({ used_quota: charged, remain_quota: 1_000_000 - charged });
    const shown = await gateway.api<{ key: string }>("GET", `/token/${token.id}/key`);
    expect(shown.key).toBe(rotated.key);
  });

  it("ends the previous key on every node when the overlap is ended", async () => {
    const token = await gateway.addToken();
    const rotated = await rotate(token.id, 168);
    for (const node of [gateway, second]) expect(await statusOf(token.key, node)).toBe(200);
    const row = await gateway.api<TokenRow>("DELETE", `/token/${token.id}/previous_key`);
    expect(row.previous_key).toBeNull();
    for (const node of [gateway, second]) {
      await untilRefused(token.key, node);
      expect(await statusOf(rotated.key, node)).toBe(200);
    }
    await expect(gateway.api("DELETE", `/token/${token.id}/previous_key`)).rejects.toThrow("no_previous_key");
  });

  it("ends the previous key at once without an overlap", async () => {
    const token = await gateway.addToken();
    expect(await statusOf(token.key)).toBe(200);
    const rotated = await rotate(token.id, 0);
    expect(rotated.previous_key).toBeNull();
    await untilRefused(token.key, gateway);
    expect(await statusOf(rotated.key)).toBe(200);
  });

  it("refuses the previous key after its time, also while a node still knows it", async () => {
    const token = await gateway.addToken();
    const rotated = await rotate(token.id, 1);
    expect(await statusOf(token.key)).toBe(200);
    await gateway.database.pool.query(
      "UPDATE tokens SET previous_until = now() + interval '1 second' WHERE id = $1",
      [token.id],
    );
    // The change of the token makes both nodes read it again.
    await gateway.api("PUT", `/token/${token.id}`, { name: "renamed" });
    await untilRefused(token.key, gateway);
    await untilRefused(token.key, second);
    expect(await statusOf(rotated.key)).toBe(200);
    expect((await gateway.api<TokenRow>("GET", `/token/${token.id}`)).previous_key).toBeNull();
  });

  it("keeps at most one previous key", async () => {
    const token = await gateway.addToken();
    const once = await rotate(token.id, 24);
    const twice = await rotate(token.id, 24);
    await untilRefused(token.key, gateway);
    for (const key of [once.key, twice.key]) expect(await statusOf(key)).toBe(200);
  });

  it("ends a stream of the previous key, and none of the new key", async () => {
    const token = await gateway.addToken();
    const body = JSON.stringify({
      model: "demo-chat",
      stream: true,
      max_tokens: 1_000,
      messages: [{ role: "user", content: "[[length=100]] [[chunk-delay=50]]" }],
    });
    const stream = async (key: string) => {
      const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
      const answer = await fetch(`${gateway.url}/v1/chat/completions`, { method: "POST", headers, body });
      return answer.text();
    };
    gateway.upstream.control.reset();
    const old = stream(token.key);
    await expect.poll(() => gateway.upstream.calls().length).toBe(1);
    const { key } = await rotate(token.id, 24);
    const current = stream(key);
    await expect.poll(() => gateway.upstream.calls().length).toBe(2);
    await gateway.api("DELETE", `/token/${token.id}/previous_key`);
    expect(await old).toContain("invalid_api_key");
    expect(await current).toContain("[DONE]");
  });

  it("refuses another overlap, and a token of another user", async () => {
    const token = await gateway.addToken();
    await expect(rotate(token.id, 2)).rejects.toThrow("overlap_hours");
    await expect(rotate(2_000_000_000, 1)).rejects.toThrow("404");
  });
});
