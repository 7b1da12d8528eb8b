import { afterAll, beforeAll, expect, it } from "vitest";
import { type Row, type Rows, type Script, scriptOf } from "#console/compat/script.fixture.ts";
import { buildConsole, type TestConsole } from "#test/console.ts";

/** Fields that a call accepts and does not change are named in the message, when they differ from the row. */
let site: TestConsole;
let root: Script;

beforeAll(async () => {
  site = await buildConsole();
  root = await scriptOf(site, await site.makeUser({ role: 100 }));
});
afterAll(() => site.close());

async function rowOf(list: string): Promise<Row> {
  const [row] = (await root.get<Rows>(list)).data.data;
  if (row === undefined) throw new Error(`${list} is empty.`);
  return row;
}

it("fields of a row that a PUT does not change are named, and only those that differ", async () => {
  await root.send("POST", "/channel/", { type: 1, name: "c", key: "sk-c", models: "m", group: "default" });
  await root.send("POST", "/token/", { name: "t", remain_quota: 5 });
  await root.send("POST", "/redemption/", { name: "r" });
  const config = JSON.stringify({ pay_domain: "https://p.example", partner_id: "1", key: "k", pay_type: "" });
  await root.send("POST", "/payment/", { type: "epay", name: "Pay", currency: "CNY", config });
  const { username } = await site.makeUser({ role: 1 });
  const cases: [list: string, target: string, change: Record<string, unknown>, message: string][] = [
    ["/channel/?name=c", "/channel/", { balance: 5 }, "balance was ignored."],
    ["/channel/?name=c", "/channel/", { used_quota: 7 }, "used_quota was ignored."],
    ["/token/?keyword=t", "/token/", { status: 2 }, "status was ignored: use ?status_only=true."],
    ["/token/?keyword=t", "/token/", { key: "x".repeat(59) }, "key was ignored."],
    ["/redemption/?keyword=r", "/redemption/", { status: 2 }, "status was ignored: use ?status_only=true."],
    ["/payment/", "/payment/", { uuid: "0".repeat(32) }, "uuid was ignored."],
    [`/user/?keyword=${username}`, "/user/", { inviter_id: 7 }, "inviter_id was ignored."],
  ];
  for (const [list, target, change, message] of cases) {
    const row = await rowOf(list);
    expect([target, await root.send("PUT", target, row)]).toMatchObject([
      target,
      { success: true, message: "" },
    ]);
    const answer = await root.send("PUT", target, { ...row, ...change });
    expect([target, answer.success, answer.message]).toEqual([target, true, message]);
    expect([target, await rowOf(list)]).toEqual([target, row]);
  }
});

it("fields that a tag does not write to its channels are named", async () => {
  await root.send("POST", "/channel/", {
    type: 1,
    name: "e",
    key: "sk-e",
    models: "m",
    group: "default",
    tag: "tagged",
    priority: 2,
  });
  const pattern = (await root.get("/channel_tag/tagged")).data;
  const put = async (change: object) =>
    (await root.send("PUT", "/channel_tag/tagged", { ...pattern, ...change })).message;
  expect(await put({ models: "m,n" })).toBe("");
  expect(await put({ priority: 9 })).toBe("priority was ignored: use PUT /api/channel_tag/:tag/priority.");
  expect((await root.get("/channel_tag/tagged")).data).toEqual(pattern);
});

it("fields that a POST does not take are named", async () => {
  const channel = {
    type: 1,
    name: "d",
    key: "sk-d",
    models: "m",
    group: "default",
    balance: 3,
    used_quota: 0,
  };
  expect((await root.send("POST", "/channel/", channel)).message).toBe("balance was ignored.");
  const token = { name: "u", remain_quota: 5, status: 2 };
  const { message } = await root.send("POST", "/token/", token);
  expect(message).toBe("status was ignored: use PUT /api/token/?status_only=true.");
});
