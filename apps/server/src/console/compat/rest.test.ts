import { LogType } from "@gateway/shared/usage/log-type";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { buildConsole, type TestConsole } from "#test/console.ts";
import { type Row, type Rows, type Script, scriptOf } from "./script.fixture.ts";

/** Tests user groups, redemption codes, the log, statistics and the state of the site. */
let site: TestConsole;
let root: Script;
let userId: number;

beforeAll(async () => {
  site = await buildConsole();
  const account = await site.makeUser({ role: 100 });
  userId = account.id;
  root = await scriptOf(site, account);
});
afterAll(() => site.close());

describe("a user group", () => {
  it("needs a symbol and a name", async () => {
    expect(await root.send("POST", "/user_group/", { symbol: "plain", name: "Plain" })).toMatchObject({
      success: true,
      data: { ratio: 1, api_rate: 600, public: false, promotion: false, min: 0, max: 0, enable: true },
    });
    const zero = { symbol: "zero", name: "Zero", ratio: 0, api_rate: 0, min: null };
    expect((await root.send("POST", "/user_group/", zero)).data).toMatchObject({ ratio: 1, api_rate: 600 });
    expect(await root.send("POST", "/user_group/", zero)).toMatchObject({ sent: 200, success: false });
  });

  it("keeps fields that a PUT does not contain; symbol and enable are ignored and named", async () => {
    const whole = { symbol: "kept", name: "Kept", ratio: 0.5, api_rate: 30, public: true, min: 3, max: 9 };
    const { id } = (await root.send("POST", "/user_group/", whole)).data;
    const put = (values: object) => root.send("PUT", "/user_group/", { id, ...values });
    expect((await put({ name: "Renamed" })).data).toMatchObject({ ...whole, name: "Renamed" });
    expect((await put({ ratio: 0, public: false })).data).toMatchObject({ ratio: 0, public: false, min: 3 });
    const ignored = await put({ symbol: "other", enable: false });
    expect(ignored).toMatchObject({ success: true, data: { symbol: "kept", enable: true } });
    expect(ignored.message).toMatch(/symbol was ignored.*enable was ignored/);
    const before = (await root.get(`/user_group/${id}`)).data;
    expect(await root.send("PUT", "/user_group/", before)).toMatchObject({
      success: true,
      data: before,
      message: "",
    });
    expect((await root.get<Rows>("/user_group/?name=Ren")).data.data).toMatchObject([{ id }]);
    expect((await put({ id: true })).success).toBe(false);
  });

  it("is shown with its promotion in the map", async () => {
    const map = (await root.get<Record<string, Row>>("/user_group_map")).data;
    expect(map["default"]).toMatchObject({ promotion: false, min: 0, max: 0, ratio: 1 });
  });
});

describe("a redemption code", () => {
  it("is worth 100 points by default; the response is the list of keys", async () => {
    const keys = await root.send<string[]>("POST", "/redemption/", { name: "gift", count: 2 });
    expect(keys.data).toEqual([
      expect.stringMatching(/^[0-9a-f]{32}$/),
      expect.stringMatching(/^[0-9a-f]{32}$/),
    ]);
    const { data } = await root.get<Rows>("/redemption/?keyword=gift&order=id");
    expect(data.data).toMatchObject([
      { key: keys.data[0], quota: 100, status: 1, redeemed_time: 0, count: 0, user_id: userId },
      { key: keys.data[1] },
    ]);
    expect(Object.values(data.data[0] ?? {}).filter((value) => value === null)).toEqual([null]);
    const [first] = data.data;
    expect((await root.get(`/redemption/${first?.id}`)).data).toEqual(first);
  });

  it("keeps fields that a PUT does not contain, can be written back as it was read, and is switched by its status", async () => {
    await root.send("POST", "/redemption/", { name: "kept", quota: 70, count: 1 });
    const [row] = (await root.get<Rows>("/redemption/?keyword=kept")).data.data;
    const put = (values: object) => root.send("PUT", "/redemption/", { id: row?.id, ...values });
    expect((await put({ name: "named" })).data).toMatchObject({ name: "named", quota: 70 });
    expect((await put({ quota: 5 })).data).toMatchObject({ name: "named", quota: 5 });
    expect((await root.send("PUT", "/redemption/", row)).data).toEqual(row);
    const off = await root.send("PUT", "/redemption/?status_only=1", { id: row?.id, status: 2, name: "no" });
    expect(off.data).toMatchObject({ status: 2, name: "kept" });
    const topUp = await root.send("POST", "/user/topup", { key: row?.["key"] });
    expect(topUp).toMatchObject({ sent: 200, success: false });
  });
});

describe("the log", () => {
  beforeAll(async () => {
    const bill = {
      price_type: "tokens",
      group_ratio: "0.5",
      lines: [
        { kind: "input", amount: 10, ratio: "2.5" },
        { kind: "cached_tokens", amount: 4, ratio: "1.25" },
        { kind: "output", amount: 20, ratio: "10" },
      ],
      exact: "115",
    };
    const { pool } = site.services;
    const add = (type: number, token: string, model: string, channel: number, at: number) =>
      pool.query(
        `INSERT INTO request_logs (request_id, created_at, type, user_id, username, token_name, model_name, channel_id, "group", quota, first_byte_time, bill)
         VALUES ($1, to_timestamp($2), $3, $4, 'someone', $5, $6, $7, 'default', 115, 40, $8)`,
        [`r-${at}`, at, type, userId, token, model, channel, type === LogType.consume ? bill : null],
      );
    const now = Math.floor(Date.now() / 1000);
    await add(LogType.consume, "b", "gpt-4o", 7, now - 30);
    await add(LogType.consume, "a", "o3", 8, now - 20);
    await add(LogType.topUp, "", "", 0, now - 10);
  });

  it("has numbered rows with the cost of the call and its channel, page, size and count", async () => {
    const { data } = await root.get<Rows>("/log/");
    expect(data).toMatchObject({ page: 1, size: 10, total_count: 3 });
    const [topUp, call] = data.data;
    expect(topUp).toMatchObject({ type: 1, metadata: null, channel: null });
    expect(call).toMatchObject({
      id: expect.any(Number),
      metadata: {
        group_name: "default",
        backup_group_name: "",
        is_backup_group: false,
        price_type: "tokens",
        group_ratio: 0.5,
        input_ratio: 2.5,
        output_ratio: 10,
        first_response: 40,
        cached_tokens: 4,
      },
      channel: { id: 8, name: "", models: "", key: "", plugin: null },
    });
    const own = (await root.get<Rows>("/log/self?page=1&size=2")).data;
    expect(own).toMatchObject({
      size: 2,
      total_count: 3,
      data: [{ id: 0 }, { id: 0, channel: null, channel_id: 0 }],
    });
  });

  it("is sorted by the columns of One Hub, in both directions, and by no other", async () => {
    const by = async (order: string) =>
      (await root.get<Rows>(`/log/?log_type=2&order=${order}`)).data.data.map((row) => row["token_name"]);
    expect(await by("created_at")).toEqual(["b", "a"]);
    expect(await by("-created_at")).toEqual(["a", "b"]);
    expect(await by("token_name")).toEqual(["a", "b"]);
    expect(await by("-model_name,type")).toEqual(["a", "b"]);
    for (const column of ["channel_id", "user_id", "type", "source_ip"])
      expect(await by(column)).toHaveLength(2);
    for (const order of ["quota", "id;DROP", "constructor"])
      expect(await root.get(`/log/?order=${order}`)).toMatchObject({ sent: 200, success: false });
  });

  it("is summed for a channel", async () => {
    const { data } = await root.get<{ quota: number }>("/log/stat?channel=7&token_name=b");
    expect(data.quota).toBe(115);
    expect((await root.get<{ quota: number }>("/log/stat?channel=99&token_name=b")).data.quota).toBe(0);
  });
});

describe("statistics", () => {
  it("are a CSV file in which every line ends with a line feed", async () => {
    const browser = await site.as({ id: userId });
    const file = await site.app.inject({
      url: "/api/analytics/multi_user_stats/export?usernames=nobody&start_time=2026-01-01&end_time=2026-01-02",
      headers: { cookie: `session=${browser.cookie}` },
    });
    expect(file.body).toMatch(/Request Time \(ms\)\n/);
    expect(file.body).not.toContain("\r");
    expect(file.body.endsWith("\n")).toBe(true);
  });

  it("are a success with a message for a month without usage", async () => {
    for (const what of ["gen", "update"])
      expect(await root.send("POST", `/option/invoice/${what}/2020-01-01`)).toMatchObject({
        success: true,
        message: expect.stringContaining("no usage"),
      });
  });
});

describe("the other routes", () => {
  it("return the state of the site", async () => {
    expect((await root.get("/status")).data).toMatchObject({
      SafeKeyWords: [],
      SafeToolName: "Keyword",
      UptimeEnabled: false,
      UptimeDomain: "",
      UptimePageName: "",
      UserInvoiceMonth: true,
      analytics_code: "",
    });
  });

  it("accept the sort orders of tasks", async () => {
    for (const order of ["code", "-mj_id", "start_time", "submit_time"])
      expect(await root.get(`/mj/?order=${order}`)).toMatchObject({ success: true });
    expect(await root.get("/task/?order=-finish_time")).toMatchObject({ success: true });
  });

  it("return One Hub's HTTP statuses", async () => {
    expect(await root.get("/oauth/github?code=x")).toMatchObject({ sent: 403, success: false });
    expect(await root.send("DELETE", "/webauthn/credentials/999999")).toMatchObject({ sent: 404 });
  });
});
