import { afterAll, beforeAll, expect, it } from "vitest";
import { buildConsole, type TestConsole } from "#test/console.ts";
import { type Script, scriptOf } from "./script.fixture.ts";

let site: TestConsole;
let root: Script;

beforeAll(async () => {
  site = await buildConsole();
  root = await scriptOf(site, await site.makeUser({ role: 100 }));
});
afterAll(() => site.close());

type Option = { key: string; value: string };

async function options(): Promise<Map<string, string>> {
  const { data } = await root.get<Option[]>("/option/");
  return new Map(data.map(({ key, value }) => [key, value]));
}

it("options: are a list of texts without secrets", async () => {
  await site.services.settings.change(
    { id: null, username: "", ip: "" },
    { TurnstileSecretKey: "hidden", SMTPToken: "hidden" },
  );
  const known = await options();
  for (const value of known.values()) expect(typeof value).toBe("string");
  expect(known.get("QuotaPerUnit")).toBe("500000");
  expect(known.get("PaymentUSDRate")).toBe("7.3");
  expect(known.get("RegisterEnabled")).toBe("true");
  expect(known.get("RechargeDiscount")).toBe("{}");
  expect(known.get("TurnstileSecretKey")).toBe("");
  expect(known.has("SMTPToken")).toBe(false);
  expect(known.has("GitHubClientSecret")).toBe(false);
});

it("options: the whole list can be written back and changes nothing", async () => {
  const before = await options();
  for (const [key, value] of before)
    expect(await root.send("PUT", "/option/", { key, value })).toMatchObject({ sent: 200, success: true });
  expect(await options()).toEqual(before);
  expect(site.services.settings.current().TurnstileSecretKey).toBe("hidden");
});

it("options: accepts every value as text", async () => {
  for (const [key, value] of [
    ["QuotaForNewUser", "1200"],
    ["DisplayInCurrencyEnabled", "false"],
    ["PaymentUSDRate", "7.1"],
    ["RechargeDiscount", '{"10":0.9}'],
    ["SystemName", "123"],
  ] as const) {
    expect(await root.send("PUT", "/option/", { key, value })).toMatchObject({ success: true });
    expect((await options()).get(key)).toBe(value);
  }
});

it("options: the fixed ones accept their own value and reject another by name", async () => {
  const fixed = {
    PreConsumedQuota: ["500", "0", "-1"],
    ApproximateTokenEnabled: ["false", "false", "true"],
    LogConsumeEnabled: ["true", "true", "false"],
    ChatImageRequestProxy: ["", "", "http://proxy"],
    CFWorkerImageUrl: ["", "", "http://worker"],
    CFWorkerImageKey: ["", "", "key"],
    AnalyticsCode: ["", "", "<script>"],
    GitHubOldIdCloseEnabled: ["false", "true", "maybe"],
    OldTokenMaxId: ["0", "0", "5"],
    SafeToolName: ["Keyword", "Keyword", "Other"],
  };
  const listed = await options();
  for (const [key, [value, other, refused]] of Object.entries(fixed)) {
    expect(listed.get(key)).toBe(value);
    expect(await root.send("PUT", "/option/", { key, value: other })).toMatchObject({ success: true });
    const refusal = await root.send("PUT", "/option/", { key, value: refused });
    expect(refusal).toMatchObject({ success: false, message: expect.stringContaining(key) });
  }
});

it("options: an unknown name is rejected, and a body that cannot be parsed is 400", async () => {
  expect(await root.send("PUT", "/option/", { key: "NoSuchOption", value: "1" })).toMatchObject({
    success: false,
    message: expect.stringContaining("NoSuchOption"),
  });
  expect(await root.send("PUT", "/option/", { value: "1" })).toMatchObject({ sent: 400, success: false });
  expect(await root.send("PUT", "/option/", [])).toMatchObject({ sent: 400, success: false });
});

it("options: a value that is not valid is refused with 200", async () => {
  for (const [key, value] of [
    ["GitHubOAuthEnabled", "true"],
    ["RetryTimes", "many"],
    ["RechargeDiscount", "{"],
    ["NoSuchOption", "1"],
    ["LogConsumeEnabled", "false"],
  ])
    expect([key, await root.send("PUT", "/option/", { key, value })]).toMatchObject([
      key,
      { sent: 200, status: 400, success: false },
    ]);
});

it("system log: returns the latest lines, and rejects a count below 1 with 400", async () => {
  for (const path of ["/option/system_info/log", "/system_info/log"]) {
    const answer = await root.send<object[]>("POST", path, { count: 3 });
    expect(answer.data).toEqual([{ Timestamp: "2026-01-01 00:00:00", Level: "info", Message: "started" }]);
    expect(await root.send("POST", path, { count: 0 })).toMatchObject({ sent: 400, success: false });
  }
});
