import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { buildConsole, type TestConsole } from "#test/console.ts";
import { type Row, type Rows, type Script, scriptOf } from "./script.fixture.ts";

let site: TestConsole;
let user: Script;
let admin: Script;
let userId: number;

beforeAll(async () => {
  site = await buildConsole();
  const account = await site.makeUser({ role: 1 });
  userId = account.id;
  user = await scriptOf(site, account);
  admin = await scriptOf(site, await site.makeUser({ role: 10 }));
});
afterAll(() => site.close());

/** The values that One Hub stores for fields missing from a request. */
const untouched = {
  heartbeat: { enabled: false, timeout_seconds: 0 },
  limits: {
    limit_model_setting: { enabled: false, models: null },
    limits_ip_setting: { enabled: false, whitelist: null },
  },
};

async function make(body: object, script = user): Promise<Row> {
  const answer = await script.send("POST", "/token/", body);
  expect(answer).toMatchObject({ sent: 200, success: true });
  return answer.data;
}

describe("a token", () => {
  it("is limited unless the request sets otherwise, and never expires", async () => {
    expect(await make({ name: "limited", remain_quota: 500 })).toMatchObject({
      remain_quota: 500,
      unlimited_quota: false,
      expired_time: -1,
      status: 1,
    });
    expect(await make({ name: "zero", expired_time: 0, setting: untouched })).toMatchObject({
      remain_quota: 0,
      unlimited_quota: false,
      expired_time: -1,
    });
    expect(await make({})).toMatchObject({ name: "", group: "", backup_group: "" });
    const later = Math.floor(Date.now() / 1000) + 1000;
    expect(await make({ expired_time: later, unlimited_quota: true })).toMatchObject({
      expired_time: later,
      unlimited_quota: true,
    });
  });

  it("shows its key in the list, by id and after a change, without sk-", async () => {
    const made = await make({ name: "with a key", unlimited_quota: true });
    expect(made["key"]).toMatch(/^[A-Za-z0-9]{48}$/);
    const list = await user.get<Rows>("/token/?keyword=with%20a");
    expect(list.data.data).toMatchObject([{ id: made.id, key: made["key"], user_id: userId }]);
    const one = await user.get(`/token/${made.id}`);
    expect(one.data).toEqual(list.data.data[0]);
    expect(one.data).toMatchObject({
      accessed_time: made["created_time"],
      used_quota: 0,
      setting: { limits: { limit_model_setting: { enabled: false, models: [] } } },
    });
    expect(one.data["setting"]).not.toHaveProperty("billing_tag");
    const { db, secrets } = site.services;
    const stored = await db.token.findUniqueOrThrow({ where: { id: made.id } });
    expect(Buffer.from(secrets.hash(`sk-${String(made["key"])}`))).toEqual(Buffer.from(stored.key_hash));
    expect((await user.get(`/token/${made.id}`)).success).toBe(true);
    expect((await admin.get(`/token/${made.id}`)).success).toBe(false);
  });

  it("is found by the beginning of its name", async () => {
    await make({ name: "prod" });
    await make({ name: "nonprod" });
    const { data } = await user.get<Rows>("/token/?keyword=prod&order=-id");
    expect(data.data.map((row) => row["name"])).toEqual(["prod"]);
  });

  it("keeps fields that a PUT does not contain; a quota alone is a limit", async () => {
    const later = Math.floor(Date.now() / 1000) + 1000;
    const limits = {
      limit_model_setting: { enabled: true, models: ["gpt-4o"] },
      limits_ip_setting: { enabled: true, whitelist: ["10.0.0.0/8"] },
    };
    const whole = {
      name: "kept",
      remain_quota: 700,
      expired_time: later,
      setting: { heartbeat: { enabled: true, timeout_seconds: 40 }, limits },
    };
    const { id } = await make(whole);
    const put = async (body: object) => (await user.send("PUT", "/token/", { id, ...body })).data;
    expect(await put({ name: "renamed" })).toMatchObject({
      ...whole,
      name: "renamed",
      unlimited_quota: false,
    });
    expect(await put({ unlimited_quota: true })).toMatchObject({ unlimited_quota: true, remain_quota: 700 });
    expect(await put({ name: "still" })).toMatchObject({ unlimited_quota: true });
    expect(await put({ remain_quota: 9 })).toMatchObject({ unlimited_quota: false, remain_quota: 9 });
    expect(await put({ remain_quota: 9, unlimited_quota: true })).toMatchObject({ unlimited_quota: true });
    expect(await put({ setting: { heartbeat: { enabled: false, timeout_seconds: 0 } } })).toMatchObject({
      setting: { heartbeat: { enabled: false }, limits },
    });
    expect(await put({ status: 2, name: null })).toMatchObject({ status: 1, name: "still" });
    const wrong = await user.send("PUT", "/token/", {
      id,
      setting: { heartbeat: { enabled: true, timeout_seconds: 0 } },
    });
    expect(wrong).toMatchObject({ sent: 200, status: 400, success: false, code: "invalid_request" });
  });

  it("can be written back exactly as it was read", async () => {
    const { id } = await make({ setting: untouched, remain_quota: 5 });
    const before = (await user.get(`/token/${id}`)).data;
    expect(await user.send("PUT", "/token/", before)).toMatchObject({ success: true, data: before });
    expect((await user.get(`/token/${id}`)).data).toEqual(before);
    const theirs = { ...before, setting: untouched };
    expect(await user.send("PUT", "/token/", theirs)).toMatchObject({ success: true });
  });

  it("is switched with only its id and a status", async () => {
    const { id } = await make({ name: "switched", unlimited_quota: true });
    const off = await user.send("PUT", "/token/?status_only=1", { id, status: 2 });
    expect(off).toMatchObject({ success: true, data: { id, status: 2, name: "switched" } });
    const on = await admin.send("PUT", "/token/admin?status_only=1", { id, status: 1 });
    expect(on).toMatchObject({ success: true, data: { status: 1, key: "" } });
  });

  it("is rejected for an id that is not a number", async () => {
    for (const id of [true, "1", "", [1], 1.5, null])
      expect((await user.send("PUT", "/token/", { id, name: "x" })).status).toBe(400);
  });

  it("is returned as the bare key for the playground", async () => {
    const first = await user.get<string>("/token/playground");
    expect(first.data).toMatch(/^[A-Za-z0-9]{48}$/);
    expect((await user.get<string>("/token/playground")).data).toBe(first.data);
  });
});

describe("all users' tokens", () => {
  it("are listed with their owners and without keys, and can be written back as they were read", async () => {
    const { id } = await make({ name: "owned", remain_quota: 3 });
    const { data } = await admin.get<Rows>(`/token/admin/search?token_id=${id}`);
    expect(data.data).toMatchObject([{ id, key: "", user_id: userId, owner_name: expect.any(String) }]);
    const back = await admin.send("PUT", "/token/admin", { ...data.data[0], name: "renamed by an admin" });
    expect(back).toMatchObject({ success: true, data: { name: "renamed by an admin", key: "" } });
    const kept = (await user.get(`/token/${id}`)).data;
    expect(kept).toMatchObject({ name: "renamed by an admin", remain_quota: 3, unlimited_quota: false });
    expect(kept["key"]).not.toBe("");
  });

  it("have billing tags for users who may see them", async () => {
    const own = await make({ name: "tagged", setting: { ...untouched, billing_tag: "team" } }, admin);
    expect(own["setting"]).toMatchObject({ billing_tag: "team" });
    const put = (billing_tag: string | null) =>
      admin.send("PUT", "/token/", { id: own.id, setting: { ...untouched, billing_tag } });
    expect((await put("other")).data["setting"]).toMatchObject({ billing_tag: "other" });
    expect((await put(null)).data["setting"]).toMatchObject({ billing_tag: null });
    const refused = await user.send("POST", "/token/", { setting: { billing_tag: "mine" } });
    expect(refused).toMatchObject({ success: true, message: expect.stringContaining("billing_tag") });
  });
});
