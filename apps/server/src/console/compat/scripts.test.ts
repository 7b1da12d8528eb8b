import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { renewAccessToken } from "#domain/accounts/profile.ts";
import { buildConsole, passwordOf, type TestConsole } from "#test/console.ts";
import { type OlderAnswer, type Row, type Rows, scriptOf } from "./script.fixture.ts";

/**
 * Sends the calls of typical Python scripts for One Hub in sequence, as `requests` does. Fields that a script
 * ignores are not checked here.
 */
let site: TestConsole;

beforeAll(async () => {
  site = await buildConsole();
});
afterAll(() => site.close());

/** `requests.Session()`: keeps cookies, sends no Origin. */
function session(headers: Record<string, string> = {}) {
  let cookie = "";
  let requested = 0;
  const address = `10.4.${Math.floor(Math.random() * 256)}`;
  return async <T = Row>(
    method: "GET" | "POST" | "PUT" | "DELETE",
    url: string,
    payload?: object | string,
    more: Record<string, string> = {},
  ): Promise<OlderAnswer<T>> => {
    requested += 1;
    const response = await site.app.inject({
      method,
      url: `/api${url}`,
      headers: {
        "user-agent": "python-requests/2.32.3",
        accept: "*/*",
        "x-forwarded-for": `${address}.${requested & 255}`,
        ...(cookie === "" ? {} : { cookie }),
        ...headers,
        ...more,
      },
      ...(payload === undefined ? {} : { payload }),
    });
    const [set] = response.cookies;
    if (set !== undefined) cookie = `${set.name}=${set.value}`;
    const status = Number(response.headers["api-status"]);
    return { ...response.json<OlderAnswer<T>>(), sent: response.statusCode, status };
  };
}

async function withToken(role = 100) {
  const user = await site.makeUser({ role });
  const { db, secrets } = site.services;
  const token = await renewAccessToken(db, secrets, { ...user, ip: "10.0.0.1" }, user.id);
  return { user, token, call: session({ authorization: `Bearer ${token}` }) };
}

/** Asserts what every script asserts. */
function done<T>(answer: OlderAnswer<T>): T {
  expect(answer).toMatchObject({ sent: 200, success: true });
  return answer.data;
}

describe("a script for One Hub", () => {
  it("1: signs in with a password and works with the cookie", async () => {
    const { username } = await site.makeUser({
      role: 100,
      password_hash: await passwordOf("a long password"),
    });
    const call = session();
    const login = done(await call("POST", "/user/login", { username, password: "a long password" }));
    expect(done(await call("GET", "/user/self"))).toMatchObject({ id: login.id, username });
    done(await call("POST", "/token/", { name: "by session", remain_quota: 100 }));
    const token = done(await call<string>("GET", "/user/token"));
    expect(done(await session({ authorization: token })("GET", "/user/self"))).toMatchObject({ username });
    done(await call("GET", "/user/logout"));
    expect((await call("GET", "/user/self")).sent).toBe(401);
  });

  it("2: creates a limited token and reads its key from the list", async () => {
    const { call } = await withToken(1);
    const body = JSON.stringify({ name: "customer-17", remain_quota: 250_000, expired_time: -1 });
    done(await call("POST", "/token/", body, { "content-type": "application/x-www-form-urlencoded" }));
    const [row] = done(await call<Rows>("GET", "/token/?keyword=customer-17&page=1&size=1")).data;
    expect(row).toMatchObject({ unlimited_quota: false, remain_quota: 250_000 });
    expect(`sk-${String(row?.["key"])}`).toMatch(/^sk-[A-Za-z0-9]{48}$/);
    const remain_quota = Number(row?.["remain_quota"]) + 1_000;
    done(await call("PUT", "/token/", { ...row, remain_quota }));
    const [raised] = done(await call<Rows>("GET", "/token/?keyword=customer-17")).data;
    expect(raised).toEqual({ ...row, remain_quota });
    done(await call("DELETE", `/token/${row?.id}`));
  });

  it("3: copies every channel page by page, and writes the rows back", async () => {
    const { call } = await withToken(10);
    for (const n of [1, 2, 3])
      done(
        await call("POST", "/channel/", {
          type: 1,
          name: `source-${n}`,
          key: `sk-source-${n}`,
          models: "gpt-4o,gpt-4o-mini",
          group: "default",
          model_mapping: '{"gpt-4": "gpt-4o"}',
          priority: n,
        }),
      );
    const all: Row[] = [];
    for (let page = 1; ; page += 1) {
      const { data, total_count } = done(
        await call<Rows>("GET", `/channel/?page=${page}&size=2&order=id&name=source-`),
      );
      all.push(...data);
      if (all.length >= total_count) break;
    }
    expect(all).toHaveLength(3);
    for (const { id: _id, ...row } of all)
      done(
        await call("POST", "/channel/", {
          ...row,
          name: `copy of ${String(row["name"])}`,
          key: "sk-of-the-copy",
        }),
      );
    for (const row of all) {
      const models = String(row["models"]).split(",");
      done(await call("PUT", "/channel/", { ...row, models: [...models, "o3"].join(",") }));
      done(await call("PUT", "/channel/", { id: row.id, status: 2 }));
    }
    const copies = done(await call<Rows>("GET", "/channel/?name=copy%20of&order=-priority")).data;
    expect(copies.map((row) => [row["priority"], row["model_mapping"], row["status"]])).toEqual([
      [3, '{"gpt-4":"gpt-4o"}', 1],
      [2, '{"gpt-4":"gpt-4o"}', 1],
      [1, '{"gpt-4":"gpt-4o"}', 1],
    ]);
    const changed = done(await call<Rows>("GET", "/channel/?name=source-&status=2")).data;
    expect(new Set(changed.map((row) => row["models"]))).toEqual(new Set(["gpt-4o,gpt-4o-mini,o3"]));
  });

  it("4: creates users and gives them points", async () => {
    const { call } = await withToken(100);
    done(
      await call("POST", "/user/", { username: "customer", password: "long enough", quota: 500, role: 1 }),
    );
    const [user] = done(await call<Rows>("GET", "/user/?keyword=customer&size=1")).data;
    expect(user).toMatchObject({ username: "customer", quota: 0, telegram_id: 0 });
    done(await call("POST", `/user/quota/${user?.id}`, { quota: 500, remark: "first order" }));
    const row = done(await call("GET", `/user/${user?.id}`));
    expect(row["quota"]).toBe(500);
    done(await call("PUT", "/user/", { ...row, group: "vip", display_name: "Customer" }));
    expect(done(await call("GET", `/user/${user?.id}`))).toMatchObject({ group: "vip", quota: 500 });
    done(await call("POST", "/user/manage", { username: "customer", action: "disable" }));
    done(await call("DELETE", `/user/${user?.id}`));
  });

  it("5: creates redemption codes and redeems one", async () => {
    const { call } = await withToken(100);
    const [key] = done(
      await call<string[]>("POST", "/redemption/", { name: "spring", quota: 900, count: 3 }),
    );
    const buyer = await withToken(1);
    expect(done(await buyer.call<number>("POST", "/user/topup", { key }))).toBe(900);
    expect(await buyer.call("POST", "/user/topup", { key })).toMatchObject({ sent: 200, success: false });
    const rows = done(await call<Rows>("GET", "/redemption/?keyword=spring&order=-redeemed_time")).data;
    expect(rows.filter((row) => Number(row["redeemed_time"]) > 0)).toHaveLength(1);
  });

  it("6: tests all channels and disables those that fail", async () => {
    const { call } = await withToken(10);
    done(
      await call("POST", "/channel/", {
        type: 1,
        name: "to-test",
        key: "sk-x",
        models: "gpt-4o",
        group: "default",
      }),
    );
    const rows = done(await call<Rows>("GET", "/channel/?size=100&name=to-test")).data;
    site.upstream.ok = false;
    for (const row of rows) {
      const answer = await call("GET", `/channel/test/${row.id}?model=gpt-4o`);
      expect(answer).toMatchObject({ sent: 200, success: false, time: expect.any(Number) });
      done(await call("PUT", "/channel/", { id: row.id, status: 2 }));
    }
    site.upstream.ok = true;
    expect(done(await call<number>("DELETE", "/channel/disabled"))).toBeGreaterThan(0);
    expect(done(await call<Rows>("GET", "/channel/?name=to-test")).total_count).toBe(0);
  });

  it("7: reads the statistics of the day", async () => {
    const { call, user } = await withToken(10);
    const now = Math.floor(Date.now() / 1000);
    expect(done(await call<unknown[]>("GET", "/user/dashboard"))).toEqual([]);
    const span = `start_timestamp=${now - 86_400}&end_timestamp=${now}`;
    done(await call("GET", `/analytics/period?${span}&group_type=model`));
    expect(done(await call("GET", "/analytics/statistics"))["user_statistics"]).toMatchObject({
      total_user: expect.any(Number),
    });
    expect(done(await call("GET", `/log/stat?${span}&channel=1`))["quota"]).toBe(0);
    const logs = done(await call<Rows>("GET", `/log/?${span}&page=0&size=0&username=${user.username}`));
    expect(logs).toEqual({ data: [], page: 1, size: 10, total_count: 0 });
    const rate = done(await call("GET", "/user/dashboard/rate"));
    expect(rate["maxRPM"]).toBe(600);
  });

  it("8: saves all options, changes one, and writes all of them back", async () => {
    const { call } = await withToken(100);
    const saved = done(await call<{ key: string; value: string }[]>("GET", "/option/"));
    expect(saved.every(({ value }) => typeof value === "string")).toBe(true);
    done(await call("PUT", "/option/", { key: "RetryTimes", value: "7" }));
    for (const { key, value } of saved) done(await call("PUT", "/option/", { key, value }));
    expect(done(await call("GET", "/option/"))).toEqual(saved);
  });

  it("9: waits for an order until it is paid", async () => {
    const { call, token } = await withToken(100);
    done(await call("PUT", "/option/", { key: "ServerAddress", value: "https://ai.example" }));
    const config = { pay_domain: "https://pay.example", partner_id: "1", key: "secret", pay_type: "alipay" };
    const made = await call("POST", "/payment/", {
      type: "epay",
      name: "Pay",
      currency: "CNY",
      config: JSON.stringify(config),
    });
    expect(made).toMatchObject({ sent: 201, success: true });
    const [method] = done(await call<{ uuid: string }[]>("GET", "/user/payment"));
    const order = done(await call("POST", "/user/order", { uuid: method?.uuid, amount: 10 }));
    const form = order["data"] as { url: string; method: string; params: Record<string, string> };
    expect(form).toMatchObject({ url: "https://pay.example/submit.php", method: "POST" });
    expect(Object.values(form.params).every((value) => typeof value === "string")).toBe(true);
    const poll = () => call("GET", `/user/order/status?trade_no=${String(order["trade_no"])}`);
    expect(await poll()).toMatchObject({ sent: 200, success: false });
    await site.services.db.order.updateMany({ data: { status: "success" } });
    expect(await poll()).toMatchObject({ sent: 200, success: true });
    expect(token).not.toBe("");
  });
});

describe("rows", () => {
  it("of every kind can be written back exactly as they were read, with a form's content type", async () => {
    const account = await site.makeUser({ role: 100 });
    const script = await scriptOf(site, account);
    const other = await site.makeUser({ role: 1, display_name: "Other" });
    await script.send("POST", "/channel/", {
      type: 1,
      name: "c",
      key: "sk-c",
      models: "m",
      group: "default",
    });
    await script.send("POST", "/token/", { name: "t", remain_quota: 5 });
    await script.send("POST", "/redemption/", { name: "r" });
    await script.send("POST", "/user_group/", { symbol: "g", name: "G" });
    await script.send("POST", "/model_info/", {
      model: "m",
      name: "M",
      tags: '["a"]',
      input_modalities: '["text"]',
    });
    for (const [list, target] of [
      ["/channel/?name=c", "/channel/"],
      ["/token/?keyword=t", "/token/"],
      ["/redemption/?keyword=r", "/redemption/"],
      ["/user_group/?order=-id&size=1", "/user_group/"],
      [`/user/?keyword=${other.username}`, "/user/"],
      ["/payment/", "/payment/"],
    ] as const) {
      const [row] = (await script.get<Rows>(list)).data.data;
      expect([list, row === undefined]).toEqual([list, false]);
      expect([list, await script.send("PUT", target, row)]).toMatchObject([list, { success: true }]);
      expect((await script.get<Rows>(list)).data.data[0]).toEqual(row);
    }
    const [info] = (await script.get<Row[]>("/model_info/")).data;
    expect(info).toMatchObject({ tags: '["a"]' });
    expect(await script.send("PUT", "/model_info/", info)).toMatchObject({ success: true });
  });
});
