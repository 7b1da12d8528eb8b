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
    // All in one hour: calls of earlier hours are counted in the roll-up, which has none of these.
    const hour = Math.floor(Date.now() / 3_600_000) * 3_600;
    await add(LogType.consume, "b", "gpt-4o", 7, hour + 1);
    await add(LogType.consume, "a", "o3", 8, hour + 2);
    await add(LogType.topUp, "", "", 0, hour + 3);
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
    // A call without plain output tokens has no line for them, with a stored price and without one.
    const { pool, db } = site.services;
    const lines = (list: object[]) =>
      JSON.stringify({ price_type: "tokens", group_ratio: "1", lines: list, exact: "0" });
    const input = { kind: "input", amount: 3, ratio: "30" };
    const { id: version } = await db.priceVersion.create({
      data: { model: "m", snapshot: { type: "tokens", input: "30", output: "40", extras: {}, tiers: [] } },
    });
    const metadataOf = async (price: number, bill: string) => {
      await pool.query("UPDATE request_logs SET price_version_id = $1, bill = $2 WHERE token_name = 'a'", [
        price,
        bill,
      ]);
      return (await root.get<Rows>("/log/?token_name=a")).data.data[0]?.["metadata"];
    };
    const before = await pool.query("SELECT bill FROM request_logs WHERE token_name = 'a'");
    expect(await metadataOf(version, lines([input]))).toMatchObject({ input_ratio: 30, output_ratio: 40 });
    const reasoning = { kind: "reasoning_tokens", amount: 3, ratio: "40" };
    expect(await metadataOf(version, lines([reasoning]))).toMatchObject({
      input_ratio: 30,
      output_ratio: 40,
    });
    expect(await metadataOf(0, lines([input]))).toMatchObject({ input_ratio: 30, output_ratio: 30 });
    await metadataOf(0, JSON.stringify((before.rows[0] as { bill: unknown }).bill));
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

describe("a log with more rows than the console lists", () => {
  const ROWS = 10_050;
  let own: Script;
  beforeAll(async () => {
    const account = await site.makeUser({ username: "busy" });
    own = await scriptOf(site, account);
    await site.services.pool.query(
      `INSERT INTO request_logs (created_at, request_id, type, user_id, username, token_name, model_name, quota, "group")
       SELECT now() - n * interval '1 second', 'deep' || n, CASE WHEN n % 10 = 0 THEN 5 ELSE 2 END, $1, 'busy', 'deep',
              CASE WHEN n = $2 THEN 'a' ELSE 'm' END, 1, 'default' FROM generate_series(1, $2) n`,
      [account.id, ROWS + 1],
    );
  });

  it("is read to its last page, without failed calls", async () => {
    const calls = ROWS - ROWS / 10 + 1;
    const whole = (await root.get<Rows>("/log/?username=busy&token_name=deep&size=100")).data;
    expect(whole.total_count).toBe(calls);
    expect(new Set(whole.data.map((row) => row["type"]))).toEqual(new Set([2]));
    const last = Math.ceil(calls / 100);
    for (const [script, url] of [
      [root, "/log/?username=busy"],
      [own, "/log/self?model_name="],
    ] as const) {
      const { data } = (await script.get<Rows>(`${url}&token_name=deep&size=100&page=${last}`)).data;
      expect(data).toHaveLength(calls % 100);
      expect(data.at(-1)).toMatchObject({ model_name: "a" });
      expect((await script.get<Rows>(`${url}&size=100&page=${last + 1}`)).data.data).toEqual([]);
    }
    expect((await root.get<Rows>("/log/?username=busy&token_name=deep&log_type=5")).data.total_count).toBe(
      ROWS / 10,
    );
  });

  it("is sorted and summed as a whole", async () => {
    const [first] = (await root.get<Rows>("/log/?username=busy&order=model_name&size=1")).data.data;
    expect(first).toMatchObject({ model_name: "a" });
    const { quota } = (await root.get<{ quota: number }>("/log/stat?username=busy&token_name=deep")).data;
    expect(quota).toBe(ROWS - ROWS / 10 + 1);
  });
});

describe("statistics", () => {
  it("are a CSV file in which every line ends with a line feed", async () => {
    const browser = await site.as({ id: userId });
    const file = await site.app.inject({
      url: "/api/analytics/multi_user_stats/export?usernames=nobody&start_time=2026-01-01&end_time=2026-01-02",
      headers: { cookie: `session=${browser.cookie}` },
    });
    expect(file.body).toBe(
      "Username,Request Count,Quota,Prompt Tokens,Completion Tokens,Request Time (ms)\n",
    );
  });

  it("contain users and days with calls, over whole days and any period", async () => {
    const user = await site.makeUser({ username: "used" });
    const idle = await site.makeUser({ username: "idle" });
    for (const [day, calls, failures] of [
      ["2025-03-04", 3, 0],
      ["2025-03-05", 0, 2],
      ["2022-01-01", 1, 0],
    ])
      await site.services.pool.query(
        `INSERT INTO usage_hours (hour, user_id, token_id, channel_id, model, "group", request_count, failed_count,
           quota, prompt_tokens, completion_tokens, request_time)
         VALUES ($1::date + interval '6 hours', $2, 0, 0, 'm', 'default', $3, $4, 75, 30, 20, 900)`,
        [day, user.id, calls, failures],
      );
    const days = `usernames=used, ${idle.username}&start_time=2025-03-01&end_time=2025-03-31`;
    const compared = await root.get<Row[]>(`/analytics/multi_user_stats?${days}`);
    expect(compared.data).toMatchObject([{ username: "used", request_count: 3, request_time: 1_800 }]);
    expect(compared["model_usage"]).toEqual([{ username: "used", model_name: "m", request_count: 3 }]);
    const browser = await site.as({ id: userId });
    const file = await site.app.inject({
      url: `/api/analytics/multi_user_stats/export?${days}`,
      headers: { cookie: `session=${browser.cookie}` },
    });
    expect(file.body.split("\n").slice(1)).toEqual(["used,3,150,60,40,1800", ""]);

    const period = async (start: string, end: string, more = "") => {
      const at = (day: string) => Date.parse(day) / 1_000;
      const span = `start_timestamp=${at(start)}&end_timestamp=${at(end)}&user_id=${user.id}${more}`;
      return (await root.get<{ channel_statistics: Row[] }>(`/analytics/period?${span}`)).data;
    };
    const row = { Date: "2025-03-04", Channel: "m", RequestCount: 3, Quota: 75, PromptTokens: 30 };
    const byModel = "&group_type=model";
    // The day of the start counts from its beginning.
    const noon = await period("2025-03-04T12:00Z", "2025-03-05T12:00Z", byModel);
    expect(noon.channel_statistics).toMatchObject([row]);
    const instant = await period("2025-03-04T12:00Z", "2025-03-04T12:00Z", byModel);
    expect(instant.channel_statistics).toMatchObject([row]);
    const years = await period("2021-01-01", "2025-12-31", byModel);
    expect(years.channel_statistics).toMatchObject([{ Date: "2022-01-01" }, row]);
    const nothing = {
      user_statistics: [],
      channel_statistics: [],
      redemption_statistics: [],
      order_statistics: [],
    };
    expect(await period("2025-03-05", "2025-03-04")).toEqual(nothing);
    expect((await root.get("/analytics/period?start_timestamp=x")).success).toBe(true);
  });

  it("are a success with a message for a month without usage", async () => {
    for (const what of ["gen", "update"])
      expect(await root.send("POST", `/option/invoice/${what}/2020-01-01`)).toMatchObject({
        success: true,
        message: expect.stringContaining("no usage"),
      });
  });
});

describe("tasks", () => {
  it("have all columns, and are found for several users", async () => {
    const [one, two, three] = [await site.makeUser(), await site.makeUser(), await site.makeUser()];
    const times = { created_at: new Date(5_000_000), updated_at: new Date(6_000_000) };
    for (const [index, user] of [one, two, three].entries())
      await site.services.db.task.create({
        data: {
          ...times,
          task_id: `song-${index}`,
          platform: "suno",
          action: "MUSIC",
          user_id: user.id,
          channel_id: 7,
          properties: { prompt: "a song" },
          notify_hook: "https://hook.example",
        },
      });
    const { data } = await root.get<Rows>(`/task/?user_ids=${one.id}&user_ids=${two.id}&order=id`);
    expect(data.data.map((row) => row["task_id"])).toEqual(["song-0", "song-1"]);
    expect(data.data[0]).toMatchObject({
      created_at: 5_000,
      updated_at: 6_000,
      start_time: 0,
      finish_time: 0,
      properties: { prompt: "a song" },
      notify_hook: "https://hook.example",
    });
    expect((await root.get<Rows>(`/task/?user_ids=${three.id}`)).data.total_count).toBe(1);
  });

  it("of Midjourney have buttons and properties as JSON in a text", async () => {
    const { id } = await site.makeUser();
    const buttons = [{ customId: "U1", label: "U1" }];
    for (const [task_id, data] of [
      ["with", { buttons, properties: { finalPrompt: "a cat" } }],
      ["without", {}],
    ] as const)
      await site.services.db.task.create({
        data: { task_id, platform: "midjourney", action: "IMAGINE", user_id: id, channel_id: 7, data },
      });
    const find = async (name: string) => (await root.get<Rows>(`/mj/?mj_id=${name}`)).data.data[0];
    const found = await find("with");
    expect([JSON.parse(String(found?.["buttons"])), found?.["properties"]]).toEqual([
      buttons,
      '{"finalPrompt":"a cat"}',
    ]);
    expect(await find("without")).toMatchObject({ buttons: "", properties: "" });
  });
});

describe("the other routes", () => {
  it("list only models that have a price, since others cannot be called", async () => {
    const models = ["priced", "unpriced"];
    await root.send("POST", "/channel/", {
      type: 1,
      name: "c",
      key: "sk-c",
      models: models.join(","),
      group: "default",
    });
    await root.send("POST", "/prices/single", { model: "priced", type: "tokens" });
    const listed = (await root.get<Record<string, object>>("/available_model")).data;
    expect(listed["priced"]).toMatchObject({
      groups: ["default"],
      price: { model: "priced", type: "tokens", channel_type: 0, input: 0, output: 0, locked: false },
    });
    expect(listed).not.toHaveProperty("unpriced");
  });

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
