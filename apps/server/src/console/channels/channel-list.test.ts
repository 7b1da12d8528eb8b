import type { ChannelRow } from "@gateway/shared/channels/channel";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { buildConsole, type Browser, type TestConsole } from "#test/console.ts";

let site: TestConsole;
let admin: Browser;
let ids: Map<string, number>;

beforeAll(async () => {
  site = await buildConsole();
  admin = await site.as(await site.makeUser({ role: 10 }));
  await admin.send("POST", "/api/user_group", { symbol: "vip", name: "VIP", ratio: 1, api_rate: 60 });
  const common = { type: 1, models: ["gpt-4o"], groups: ["default"] };
  const channels = [
    { name: "Alpha", key: "sk-alpha", tag: "lab", groups: ["default", "vip"], priority: 3, weight: 1 },
    {
      name: "Beta",
      key: "sk-beta",
      type: 3,
      base_url: "https://azure.example",
      other: "2025-01-01",
      models: ["o3*", "GPT-Image-1"],
      priority: 1,
      weight: 9,
    },
    { name: "Gamma 100%", key: "sk-gamma", test_model: "gpt-4o-mini", priority: 2, weight: 5 },
  ];
  ids = new Map();
  for (const channel of channels) {
    const { body } = await admin.send<ChannelRow>("POST", "/api/channel", { ...common, ...channel });
    expect(body).toMatchObject({ success: true });
    ids.set(channel.name, body.data.id);
  }
  await admin.send("PATCH", `/api/channel/${ids.get("Gamma 100%")}`, { status: 2 });
});
afterAll(() => site.close());

async function names(query: string): Promise<string[]> {
  const { status, body } = await admin.get<{ data: ChannelRow[]; total_count: number }>(
    `/api/channel?${query}`,
  );
  expect(status).toBe(200);
  return body.data.data.map((row) => row.name);
}

const all = ["Alpha", "Beta", "Gamma 100%"];

describe("the list of channels", () => {
  it.each([
    ["", all],
    ["keyword=aLPh", ["Alpha"]],
    ["keyword=lab", ["Alpha"]],
    ["keyword=100%25", ["Gamma 100%"]],
    ["keyword=a_pha", []],
    ["type=3", ["Beta"]],
    ["type=0", all],
    ["type=99999999999", []],
    ["type=abc", all],
    ["status=1", ["Alpha", "Beta"]],
    ["status=2", ["Gamma 100%"]],
    ["status=3", []],
    ["status=7", []],
    ["group=vip", ["Alpha"]],
    ["group=vi", []],
    ["model=gpt-image", ["Beta"]],
    ["model=gpt-4o&status=1", ["Alpha"]],
    // Not treated as wildcards.
    ["model=g%25t", []],
    ["model=gpt_4o", []],
    ["model=o3%5C", []],
    ["keyword=alpha%5C", []],
    ["tag=lab", ["Alpha"]],
    ["tag=la", []],
    ["filter_tag=1", ["Beta", "Gamma 100%"]],
    ["filter_tag=2", ["Alpha"]],
    ["filter_tag=0", all],
    ["test_model=gpt-4o", ["Gamma 100%"]],
    ["test_model=mini", []],
    ["other=2025", ["Beta"]],
    ["other=01-01", []],
    ["key=sk-beta", ["Beta"]],
    ["key=sk-bet", []],
    ["key=+sk-gamma+", ["Gamma 100%"]],
  ])("is filtered by %s", async (query, expected) => {
    expect((await names(`${query}&order=name`)).sort()).toEqual(expected);
  });

  it("finds a channel by its id", async () => {
    expect(await names(`keyword=${ids.get("Beta")}`)).toContain("Beta");
  });

  it.each([
    ["name", ["Alpha", "Beta", "Gamma 100%"]],
    ["-name", ["Gamma 100%", "Beta", "Alpha"]],
    ["priority", ["Beta", "Gamma 100%", "Alpha"]],
    ["-weight", ["Beta", "Gamma 100%", "Alpha"]],
    ["-type", ["Beta", expect.any(String), expect.any(String)]],
    ["-status", ["Gamma 100%", expect.any(String), expect.any(String)]],
    ["id", ["Alpha", "Beta", "Gamma 100%"]],
  ])("is sorted by %s", async (order, expected) => {
    expect(await names(`order=${order}`)).toEqual(expected);
  });

  it.each(["response_time", "test_time", "balance", "used_quota", "created_time", "tag"])(
    "may be sorted by %s, both ways",
    async (field) => {
      expect(await names(`order=${field}`)).toHaveLength(3);
      expect(await names(`order=-${field}`)).toHaveLength(3);
    },
  );

  it("cannot be sorted by a field that it does not show", async () => {
    expect((await admin.get("/api/channel?order=key")).status).toBe(400);
  });

  it("is returned in pages", async () => {
    expect(await names("order=name&page=2&size=2")).toEqual(["Gamma 100%"]);
    expect(await names("order=name&page=9&size=2")).toEqual([]);
  });
});

describe("the ids of a filter", () => {
  const idsOf = async (query: string) =>
    (await admin.get<number[]>(`/api/channel/ids?${query}`)).body.data.toSorted((a, b) => a - b);

  it("cover all pages of the list", async () => {
    expect(await idsOf("size=1")).toEqual([...ids.values()].toSorted((a, b) => a - b));
    expect(await idsOf("status=2&size=1&page=7")).toEqual([ids.get("Gamma 100%")]);
    expect(await idsOf("model=o3")).toEqual([ids.get("Beta")]);
    expect(await idsOf("keyword=nothing")).toEqual([]);
  });

  it("are for administrators with the permission for channels", async () => {
    const user = await site.as(await site.makeUser({ role: 1 }));
    expect((await user.get("/api/channel/ids")).body).toMatchObject({ success: false });
  });
});
