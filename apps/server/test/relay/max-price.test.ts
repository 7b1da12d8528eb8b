import { once } from "node:events";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { WebSocket } from "ws";
import { startTestGateway, type TestGateway } from "#test/gateway.ts";

/** The most that a client wants to pay for a call: `x-max-price`. */
let gateway: TestGateway;
let key: string;

beforeAll(async () => {
  gateway = await startTestGateway();
  await gateway.addChannel({ type: 8, name: "a", models: ["dear", "dear-embeddings"] });
  // $200 per million tokens.
  await gateway.addPrice("dear", { input: 100, output: 100 });
  await gateway.addPrice("dear-embeddings", { input: 100, output: 0 });
});
beforeEach(async () => {
  gateway.upstream.control.reset();
  ({ key } = await gateway.addToken());
});
afterAll(() => gateway.stop());

async function send(maxPrice: string, path = "/v1/chat/completions", body: object = {}) {
  const answer = await fetch(gateway.url + path, {
    method: "POST",
    headers: {
      authorization: `Bearer ${key}`,
      "content-type": "application/json",
      "x-max-price": maxPrice,
    },
    body: JSON.stringify({
      model: "dear",
      max_tokens: 100,
      messages: [{ role: "user", content: "Hi" }],
      ...body,
    }),
  });
  const { error } = (await answer.json()) as { error?: { code?: string; type?: string; message: string } };
  return { status: answer.status, headers: answer.headers, error };
}

describe("the maximum price of a call", () => {
  it("refuses a call that can cost more, before it is sent, in the client's dialect", async () => {
    // 100 tokens of output alone are $0.02.
    const chat = await send("0.02");
    expect(chat).toMatchObject({ status: 402, error: { code: "max_price_exceeded" } });
    expect(chat.error?.message).toMatch(/can cost up to \$0\.02\d+, and "x-max-price" allows \$0\.02/);
    const messages = await send("0.02", "/v1/messages");
    expect(messages).toMatchObject({ status: 402, error: { type: "billing_error" } });
    expect(gateway.upstream.calls()).toEqual([]);
  });

  it("passes a call that cannot cost more", async () => {
    expect((await send("0.1")).status).toBe(200);
    expect((await send("0.1", "/v1/messages")).status).toBe(200);
  });

  it("sets an output limit where the request has none", async () => {
    const { status, headers } = await send("5", "/v1/chat/completions", { max_tokens: undefined });
    expect(status).toBe(200);
    expect(Number(headers.get("x-gateway-output-limit"))).toBeGreaterThan(0);
  });

  it("applies to other endpoints", async () => {
    const body = { model: "dear-embeddings", input: "word ".repeat(1_000) };
    expect((await send("0.0001", "/v1/embeddings", body)).status).toBe(402);
    expect((await send("2", "/v1/embeddings", body)).status).toBe(200);
  });

  it("refuses a call that can cost more also at a channel that reserves less", async () => {
    await gateway.addPrice("trusted", { input: 100, output: 100 });
    await gateway.addChannel({ type: 8, name: "trusted", models: ["trusted"], pre_cost: 3 });
    const { status, error } = await send("0.02", "/v1/chat/completions", { model: "trusted" });
    expect({ status, code: error?.code }).toEqual({ status: 402, code: "max_price_exceeded" });
    expect((await send("0.1", "/v1/chat/completions", { model: "trusted" })).status).toBe(200);
  });

  it("applies to each response over WebSocket", async () => {
    const socket = new WebSocket(`${gateway.url.replace("http", "ws")}/v1/responses`, {
      headers: { authorization: `Bearer ${key}`, "x-max-price": "0.02" },
    });
    await once(socket, "open");
    const event = { type: "response.create", model: "dear", input: "Hi", max_output_tokens: 100 };
    socket.send(JSON.stringify(event));
    const [data] = (await once(socket, "message")) as [Buffer];
    expect(JSON.parse(data.toString())).toMatchObject({ error: { code: "max_price_exceeded" } });
    socket.terminate();
  });

  it("must be an amount", async () => {
    for (const value of ["-1", "1e9", "much", "0.0000001"]) expect((await send(value)).status).toBe(400);
  });
});
