import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startTestGateway, type TestGateway } from "#test/gateway.ts";
import { linesOf } from "#test/log-lines.ts";

/** Recraft's tools: the address names the tool, and the price is per call. */
let gateway: TestGateway;
let key: string;

beforeAll(async () => {
  gateway = await startTestGateway();
  const models = ["recraft_vectorize", "recraft_styles", "recraft_generativeUpscale"];
  await gateway.addChannel({ type: 51, name: "one", key: "one", models, priority: 1 });
  await gateway.addChannel({ type: 51, name: "two", key: "two", models });
  ({ key } = await gateway.addToken({ unlimited_quota: true }));
});
afterAll(() => gateway.stop());

async function ask(tool: string, body: FormData | string) {
  const answer = await fetch(`${gateway.url}/recraftAI/v1/${tool}`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${key}`,
      ...(typeof body === "string" ? { "content-type": "application/json" } : {}),
    },
    body,
  });
  const output = (await answer.json()) as Record<string, unknown>;
  const [line, ...more] = await linesOf(gateway, answer);
  expect(more).toEqual([]);
  return { status: answer.status, output, line };
}

function picture(fields: Record<string, string> = {}, bytes = 1_000): FormData {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.set(name, value);
  form.set("file", new Blob([Buffer.alloc(bytes, 7)], { type: "image/png" }), "boat.png");
  return form;
}

describe("a Recraft tool", () => {
  it("is billed once per call, at the price of its own name", async () => {
    const { status, output, line } = await ask("images/vectorize", picture({ response_format: "url" }));
    expect(status).toBe(200);
    expect(output).toMatchObject({ image: { url: expect.stringContaining("data:image/png") } });
    // $0.01
    expect(line).toMatchObject({
      type: 2,
      quota: 5_000,
      model_name: "recraft_vectorize",
      endpoint: "/recraftAI/v1/images/vectorize",
    });
    expect(line?.bill?.price_type).toBe("times");
    expect((await ask("styles", picture({ style: "icon" }))).line).toMatchObject({ quota: 20_000 });
    expect(await gateway.drift()).toBe(0n);
  });

  it("receives its form unchanged, and no model or number in it changes the bill", async () => {
    gateway.upstream.control.reset();
    const bytes = 2 * 1024 * 1024;
    const form = picture({ model: "recraft_crispUpscale", style: "icon" }, bytes);
    const { line } = await ask("images/vectorize", form);
    expect(line).toMatchObject({ quota: 5_000, model_name: "recraft_vectorize" });
    await ask("images/vectorize", picture({}, bytes));
    const [first, second] = gateway.upstream.calls();
    expect(first).toMatchObject({ path: "/v1/images/vectorize", key: "one" });
    const file = { name: "boat.png", type: "image/png", bytes };
    expect(first?.body).toEqual({ model: "recraft_crispUpscale", style: "icon", file });
    expect(second?.body).toEqual({ file });
  });

  it("rejects a number of images, which its price does not include", async () => {
    const answer = await fetch(`${gateway.url}/recraftAI/v1/images/vectorize`, {
      method: "POST",
      headers: { authorization: `Bearer ${key}` },
      body: picture({ n: "4" }),
    });
    expect(answer.status).toBe(400);
    expect(await answer.json()).toMatchObject({ error: { param: "n" } });
  });

  it("also accepts JSON, unchanged", async () => {
    gateway.upstream.control.reset();
    const { status } = await ask("images/vectorize", '{"image": {"name": "boat"}}');
    expect(status).toBe(200);
    expect(gateway.upstream.calls()[0]?.body).toEqual({ image: { name: "boat" } });
  });

  it("is sent to the next channel when one fails, and costs nothing when all fail", async () => {
    gateway.upstream.control.reset();
    gateway.upstream.control.set({ status: 503, times: 1, only: { key: "one" } });
    const { status, line } = await ask("images/vectorize", picture());
    expect(status).toBe(200);
    expect(line).toMatchObject({ quota: 5_000, attempts: [{ status: 503 }, { result: "ok" }] });
    gateway.upstream.control.set({ status: 400, times: 5 });
    const failed = await ask("images/vectorize", picture());
    expect(failed).toMatchObject({ status: 400, line: { type: 5, quota: 0 } });
    gateway.upstream.control.reset();
    expect(await gateway.drift()).toBe(0n);
  });

  it("without a channel or a price is rejected before any provider is called", async () => {
    gateway.upstream.control.reset();
    expect(await ask("images/removeBackground", picture())).toMatchObject({ status: 404 });
    const unpriced = await ask("images/generativeUpscale", picture());
    expect(unpriced).toMatchObject({ status: 400, line: { error_code: "price_missing" } });
    expect(gateway.upstream.calls()).toEqual([]);
  });
});
