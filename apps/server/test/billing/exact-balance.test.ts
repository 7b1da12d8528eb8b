import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startTestGateway, type TestGateway } from "#test/gateway.ts";

/** A balance for exactly ten calls, and a hundred concurrent calls. */
let gateway: TestGateway;
const perCall = 1_000;

beforeAll(async () => {
  gateway = await startTestGateway();
  await gateway.addChannel({ type: 8, name: "provider" });
});
afterAll(() => gateway.stop());

const say = { role: "user", content: "Hello" };
const endpoints = [
  ["/v1/chat/completions", { model: "demo-chat", messages: [say] }],
  ["/v1/responses", { model: "demo-chat", input: "Hello" }],
  ["/v1/messages", { model: "demo-chat", max_tokens: 50, messages: [say] }],
  ["/v1beta/models/demo-chat:generateContent", { contents: [{ role: "user", parts: [{ text: "Hello" }] }] }],
  ["/v1beta/interactions", { model: "demo-chat", input: "Hello" }],
] as const;

/** Returns whether an error reports an insufficient balance in the dialect of the path. */
function saysNoMoney(path: string, body: Record<string, unknown>): boolean {
  const { error, type } = body as {
    type?: string;
    error?: { code?: unknown; type?: string; status?: string; message?: string };
  };
  if (!/balance does not cover/.test(error?.message ?? "")) return false;
  if (path === "/v1/messages") return type === "error" && error?.type === "billing_error";
  if (path.startsWith("/v1beta")) return typeof error?.code === "number" && error.status !== undefined;
  return error?.code === "insufficient_quota";
}

describe("a balance for ten calls", () => {
  it("serves ten of a hundred calls and rejects the others with 402 in their dialect", async () => {
    const price = { model: "demo-chat", type: "times", channel_type: 1, input: 1, output: 1 };
    await gateway.api("PUT", "/prices/single/demo-chat", price);
    const root = await gateway.api<{ id: number; quota: number }>("GET", "/user/self");
    if (root.quota > 0)
      await gateway.api("POST", `/user/quota/${root.id}`, { quota: -root.quota, remark: "empty" });
    await gateway.api("POST", `/user/quota/${root.id}`, { quota: 10 * perCall, remark: "ten calls" });
    const { key } = await gateway.addToken();

    const answers = await Promise.all(
      Array.from({ length: 100 }, async (_, index) => {
        const [path, body] = endpoints[index % endpoints.length]!;
        const response = await fetch(gateway.url + path, {
          method: "POST",
          headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
          body: JSON.stringify(body),
        });
        const answer = (await response.json()) as Record<string, unknown>;
        return { path, status: response.status, refused: saysNoMoney(path, answer) };
      }),
    );
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(10);
    const others = answers.filter(({ status }) => status !== 200);
    expect(others.filter(({ status, refused }) => status !== 402 || !refused)).toEqual([]);
    expect(others).toHaveLength(90);
    expect(await gateway.api("GET", "/user/self")).toMatchObject({ quota: 0, reserved: 0 });
    expect(await gateway.drift()).toBe(0n);
  });
});
