import type { LogRow } from "@gateway/shared/usage/log";
import type { CreatedShare, SharedCall, SharePage } from "@gateway/shared/usage/share";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startTestGateway, type TestGateway } from "#test/gateway.ts";

/** Links to calls that are readable without signing in. */
let gateway: TestGateway;
let stored: LogRow;
let plain: LogRow;
const secretText = "the moon is made of basalt";
const providerText = "quota of org-4711 is used up";

beforeAll(async () => {
  gateway = await startTestGateway();
  const channel = { type: 1, models: ["demo-chat"], auto_disable: false };
  await gateway.addChannel({ ...channel, name: "secret-channel" });
  const call = async (log_bodies: boolean, content: string) => {
    const token = await gateway.addToken({ name: "secret-token", setting: { log_bodies } });
    await gateway
      .openai(token.key)
      .chat.completions.create({ model: "demo-chat", max_tokens: 50, messages: [{ role: "user", content }] })
      .catch(() => undefined);
    return (await gateway.logs(1, token.id))[0]!;
  };
  stored = await call(true, secretText);
  plain = await call(false, "Hello");
});
afterAll(() => gateway.stop());

const share = (row: LogRow, input: object = {}) =>
  gateway.api<CreatedShare>("POST", `/log/${row.id}/share`, input);

async function open(secret: string) {
  const answer = await fetch(`${gateway.url}/api/shared_call/${secret}`, {
    headers: { "api-version": "2" },
  });
  const body = (await answer.json()) as { code?: string; data: SharedCall; params?: { reason?: string } };
  return { status: answer.status, headers: answer.headers, ...body, text: JSON.stringify(body) };
}

describe("a link to a call", () => {
  it("shows bill and route without names, and no prompt, without signing in", async () => {
    const { secret, id } = await share(stored);
    expect(secret).toMatch(/^[A-Za-z0-9]{32}$/);
    const opened = await open(secret);
    expect(opened.status).toBe(200);
    expect(opened.headers.get("x-robots-tag")).toBe("noindex");
    expect(opened.headers.get("cache-control")).toContain("no-store");
    expect(opened.data.call).toMatchObject({
      model_name: "demo-chat",
      quota: stored.quota,
      bill: stored.bill,
      attempts: [{ channel_id: 1, channel_name: "", result: "ok" }],
    });
    expect(opened.data.bodies).toBeNull();
    for (const hidden of ["secret-channel", "secret-token", "root", "127.0.0.1", secretText, "default"])
      expect(opened.text).not.toContain(hidden);
    const { rows } = await gateway.database.pool.query<{ row: string }>(
      "SELECT s::text AS row FROM call_shares s WHERE id = $1",
      [id],
    );
    expect(rows[0]?.row).not.toContain(secret);
    expect(rows[0]?.row).not.toContain(Buffer.from(secret).toString("hex"));
  });

  it("shows the stored request and response if they were chosen", async () => {
    await expect.poll(() => gateway.api("GET", `/log/${stored.request_id}/bodies`)).not.toBeNull();
    const { secret } = await share(stored, { with_bodies: true });
    expect((await open(secret)).data.bodies?.request).toContain(secretText);
    await expect(share(plain, { with_bodies: true })).rejects.toThrow("bodies_not_kept");
  });

  it("does not show the provider's text of a failure without the content", async () => {
    await gateway.addChannel({ type: 1, name: "failing", models: ["failing"], auto_disable: false });
    await gateway.addPrice("failing");
    const token = await gateway.addToken({ name: "t2" });
    const message = `[[status=400]] ${providerText}`;
    await gateway
      .openai(token.key)
      .chat.completions.create({ model: "failing", messages: [{ role: "user", content: message }] })
      .catch(() => undefined);
    const [failed] = await gateway.logs(1, token.id);
    const { data } = await open((await share(failed!)).secret);
    expect(data.call).toMatchObject({
      outcome: failed?.outcome,
      error_code: failed?.error_code,
      content: "",
    });
  });

  it("ends when it is revoked, and is not in the list afterwards", async () => {
    const { id, secret } = await share(plain, { hours: 168 });
    const list = () => gateway.api<SharePage>("GET", "/call_share?size=100");
    const found = (await list()).data.find((row) => row.id === id);
    expect(found).toMatchObject({ request_id: plain.request_id, with_bodies: false });
    expect((found?.expires_at ?? 0) - (found?.created_time ?? 0)).toBe(168 * 3_600);
    expect(JSON.stringify(await list())).not.toContain(secret);
    await gateway.api("DELETE", `/call_share/${id}`);
    expect(await open(secret)).toMatchObject({
      status: 410,
      code: "gone",
      params: { reason: "share_revoked" },
    });
    expect((await list()).data.map((row) => row.id)).not.toContain(id);
  });

  it("ends at its time", async () => {
    const { id, secret } = await share(plain);
    await gateway.database.pool.query(
      "UPDATE call_shares SET expires_at = now() - interval '1 second' WHERE id = $1",
      [id],
    );
    expect(await open(secret)).toMatchObject({ status: 410, params: { reason: "share_expired" } });
  });

  it("that is unknown answers 404, and one with another expiry is refused", async () => {
    expect(await open("A".repeat(32))).toMatchObject({ status: 404, params: { reason: "share_not_found" } });
    await expect(share(plain, { hours: 1_000 })).rejects.toThrow("hours");
  });
});

describe("links of other accounts", () => {
  const signIn = async (username: string) => {
    const user = await gateway.api<{ id: number }>("POST", "/user", {
      username,
      password: "correct horse battery",
    });
    const send = async (method: string, path: string, body?: unknown) => {
      const answer = await fetch(`${gateway.url}/api${path}`, {
        method,
        headers: { "api-version": "2", "content-type": "application/json", cookie, origin: gateway.url },
        body: body === undefined ? null : JSON.stringify(body),
      });
      return {
        status: answer.status,
        headers: answer.headers,
        body: (await answer.json()) as { data: never },
      };
    };
    let cookie = "";
    const signedIn = await send("POST", "/user/login", { username, password: "correct horse battery" });
    cookie = signedIn.headers.get("set-cookie")?.split(";")[0] ?? "";
    return { id: user.id, send };
  };

  it("cannot be created for the calls of others, nor revoked", async () => {
    const { send } = await signIn("stranger");
    expect((await send("POST", `/log/${plain.id}/share`, {})).status).toBe(404);
    const { id, secret } = await share(plain);
    expect((await send("DELETE", `/call_share/${id}`)).status).toBe(404);
    expect((await open(secret)).status).toBe(200);
  });

  it("end with the account that shared the call, and hide its name", async () => {
    const { id, send } = await signIn("customer");
    const quota = { id, quota: 1_000_000 };
    await gateway.database.pool.query("UPDATE users SET quota = $2 WHERE id = $1", [quota.id, quota.quota]);
    const created = await send("POST", "/token", { name: "own-token" });
    const { key } = created.body.data as { key: string };
    await gateway.openai(key).chat.completions.create({
      model: "demo-chat",
      max_tokens: 5,
      messages: [{ role: "user", content: "Hi" }],
    });
    const row = (await gateway.logs(1)).find((call) => call.username === "customer");
    const shared = await send("POST", `/log/${row?.id ?? ""}/share`, {});
    const { secret } = shared.body.data as { secret: string };
    const opened = await open(secret);
    expect(opened.data.call.attempts).toMatchObject([{ channel_id: 1, channel_name: "", result: "ok" }]);
    for (const hidden of ["customer", "own-token", "secret-channel"])
      expect(opened.text).not.toContain(hidden);
    await gateway.database.pool.query("UPDATE users SET status = 2 WHERE id = $1", [id]);
    expect(await open(secret)).toMatchObject({ status: 410, params: { reason: "share_unavailable" } });
  });
});
