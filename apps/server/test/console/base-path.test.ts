import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startTestGateway, type TestGateway } from "#test/gateway.ts";

/** The whole gateway below a base path. */
let gateway: TestGateway;
let origin: string;
let key: string;
let channelId: number;

beforeAll(async () => {
  gateway = await startTestGateway({ BASE_PATH: "/gw/" });
  origin = new URL(gateway.url).origin;
  const channel = await gateway.addChannel({
    type: 900,
    name: "Demo",
    base_url: gateway.upstream.url,
    models: ["demo-chat"],
    groups: ["default"],
  });
  channelId = channel.id;
  key = (await gateway.addToken()).key;
});
afterAll(() => gateway.stop());

const models = async (address: string) =>
  (await fetch(address, { headers: { authorization: `Bearer ${key}` } })).status;

describe("below a base path", () => {
  it("serves calls at the address that the console shows, and at the root of the host", async () => {
    expect(new URL(gateway.url).pathname).toBe("/gw");
    const answer = await gateway.openai(key).chat.completions.create({
      model: "demo-chat",
      messages: [{ role: "user", content: "Hello" }],
    });
    expect(answer.choices[0]?.message.content).not.toBe("");
    expect(await models(`${origin}/gw/v1/models`)).toBe(200);
    expect(await models(`${origin}/v1/models`)).toBe(200);
    expect((await fetch(`${origin}/gw/v1/nothing`)).headers.get("content-type")).toContain("json");
  });

  it("requests a provider's stored objects at the provider's own address", async () => {
    for (const address of [`${origin}/gw/v1`, `${origin}/v1`]) {
      const headers = { authorization: `Bearer ${key}#${channelId}` };
      const answer = await fetch(`${address}/vector_stores?limit=2`, { headers });
      expect(answer.status).toBe(200);
      expect(gateway.upstream.calls().at(-1)?.path).toBe("/v1/vector_stores?limit=2");
    }
  });

  it("serves the management API only there", async () => {
    expect((await fetch(`${origin}/gw/api/status`)).status).toBe(200);
    // The console's page if it is built, otherwise an error.
    expect(await (await fetch(`${origin}/api/status`)).text()).not.toContain('"success":true');
  });
});
