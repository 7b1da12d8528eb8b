import type { CreatedToken } from "@gateway/shared/accounts/token";
import type { UserDetail } from "@gateway/shared/accounts/user";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { z } from "zod";
import { startTestGateway, type TestGateway } from "#test/gateway.ts";

/** Administrators' changes of users apply to calls made immediately afterwards. */
let gateway: TestGateway;

beforeAll(async () => {
  gateway = await startTestGateway();
  await gateway.addChannel({ type: 900, name: "demo" });
});
afterAll(() => gateway.stop());

let names = 0;

/** Creates a user with a balance and a key. */
async function makePerson(): Promise<{ user: UserDetail; key: string; ask: () => Promise<number> }> {
  const username = `person-${(names += 1)}`;
  const password = "long enough";
  const user = await gateway.api<UserDetail>("POST", "/user", { username, password, quota: 1_000_000 });
  const headers = { "api-version": "2", origin: gateway.url, "content-type": "application/json" };
  const login = await fetch(`${gateway.url}/api/user/login`, {
    method: "POST",
    headers,
    body: JSON.stringify({ username, password }),
  });
  const [cookie = ""] = (login.headers.get("set-cookie") ?? "").split(";");
  const made = await fetch(`${gateway.url}/api/token`, {
    method: "POST",
    headers: { ...headers, cookie },
    body: JSON.stringify({ name: "key" }),
  });
  const { data } = (await made.json()) as { data: z.infer<typeof CreatedToken> };
  const ask = async () => {
    const answer = await fetch(`${gateway.url}/v1/chat/completions`, {
      method: "POST",
      headers: { authorization: `Bearer ${data.key}`, "content-type": "application/json" },
      body: JSON.stringify({ model: "demo-chat", messages: [{ role: "user", content: "Hello" }] }),
    });
    await answer.text();
    return answer.status;
  };
  return { user, key: data.key, ask };
}

const manage = (user: UserDetail, action: string) =>
  gateway.api("POST", "/user/manage", { username: user.username, action });

describe("a key", () => {
  it("is rejected as soon as its owner is disabled, and works again when the owner is enabled", async () => {
    const { user, ask } = await makePerson();
    expect(await ask()).toBe(200);
    await manage(user, "disable");
    expect(await ask()).toBe(401);
    await manage(user, "enable");
    expect(await ask()).toBe(200);
  });

  it("stops working when its owner is deleted", async () => {
    const { user, ask } = await makePerson();
    expect(await ask()).toBe(200);
    await gateway.api("DELETE", `/user/${user.id}`);
    expect(await ask()).toBe(401);
  });

  it("can select a channel only while its owner is an administrator", async () => {
    const { user, key } = await makePerson();
    const pinned = async () => {
      const answer = await fetch(`${gateway.url}/v1/chat/completions`, {
        method: "POST",
        headers: { authorization: `Bearer ${key}#1`, "content-type": "application/json" },
        body: JSON.stringify({ model: "demo-chat", messages: [{ role: "user", content: "Hello" }] }),
      });
      await answer.text();
      return answer.status;
    };
    expect(await pinned()).toBe(403);
    await manage(user, "promote");
    expect(await pinned()).toBe(200);
    await manage(user, "demote");
    expect(await pinned()).toBe(403);
  });
});

describe("the ledger", () => {
  it("is consistent after gifts, changes and a deletion", async () => {
    await gateway.api("PUT", "/option", { key: "QuotaForNewUser", value: 1_000 });
    const { user } = await makePerson();
    expect(user.quota).toBe(1_001_000);
    await gateway.api("POST", `/user/quota/${user.id}`, { quota: -1_000, remark: "taken back" });
    await gateway.api("DELETE", `/user/${user.id}`);
    expect(await gateway.drift()).toBe(0n);
  });
});
