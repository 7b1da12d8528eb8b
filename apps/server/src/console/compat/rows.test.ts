import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { buildConsole, type TestConsole } from "#test/console.ts";
import { type Row, type Rows, scriptOf } from "./script.fixture.ts";

/** A script reads a row, changes nothing or one field, and sends it back. */
let site: TestConsole;

beforeAll(async () => {
  site = await buildConsole();
});
afterAll(() => site.close());

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
    const config = { pay_domain: "https://pay.example", partner_id: "1", key: "secret", pay_type: "alipay" };
    const gateway = { type: "epay", name: "Pay", currency: "CNY", config: JSON.stringify(config) };
    await script.send("POST", "/payment/", gateway);
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
