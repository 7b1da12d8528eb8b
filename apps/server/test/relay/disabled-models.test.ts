import { MOST_DISABLED_MODELS } from "@gateway/shared/models/disabled-models";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { WebSocket } from "ws";
import { startTestGateway, type TestGateway } from "#test/gateway.ts";

/** A model that an operator disabled everywhere: what clients, lists and the log show. */
let gateway: TestGateway;
let key: string;

const message = 'The model "gpt-4o" is disabled by the operator of this gateway. Use another model.';
const hello = [{ role: "user", content: "Hi" }];

beforeAll(async () => {
  gateway = await startTestGateway();
  await gateway.addChannel({ type: 8, name: "named", models: ["gpt-4o", "demo-chat"] });
  await gateway.addChannel({ type: 8, name: "pattern", models: ["gpt-*"] });
  await gateway.addChannel({
    type: 8,
    name: "mapped",
    models: ["fast"],
    model_mapping: { fast: "gpt-4o" },
  });
  for (const model of ["gpt-4o", "gpt-4o-mini", "demo-chat", "fast"])
    await gateway.addPrice(model).catch(() => undefined);
  await gateway.api("PUT", "/option", { key: "ModelAliases", value: '{"claude-4o": "gpt-4o"}' });
  ({ key } = await gateway.addToken());
});
afterAll(() => gateway.stop());

const turn = (model: string, disabled: boolean) =>
  gateway.api<string[]>("PUT", "/disabled_models", { model, disabled });

async function post(path: string, body: object): Promise<{ status: number; body: unknown }> {
  const answer = await fetch(gateway.url + path, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  return { status: answer.status, body: await answer.json() };
}

const chat = (model: string) => post("/v1/chat/completions", { model, messages: hello });

async function get<T>(path: string): Promise<T> {
  const answer = await fetch(gateway.url + path, { headers: { authorization: `Bearer ${key}` } });
  return (await answer.json()) as T;
}

describe("a disabled model", () => {
  beforeEach(() => turn("gpt-4o", true));

  it("is refused in every dialect, and no provider is called", async () => {
    gateway.upstream.control.reset();
    const openai = {
      error: { code: "model_not_found", param: "model", message: expect.stringContaining(message) as string },
    };
    expect(await chat("gpt-4o")).toMatchObject({ status: 404, body: openai });
    expect(await post("/v1/responses", { model: "gpt-4o", input: "Hi" })).toMatchObject({
      status: 404,
      body: openai,
    });
    expect(await post("/v1/messages", { model: "gpt-4o", max_tokens: 9, messages: hello })).toMatchObject({
      status: 404,
      body: {
        type: "error",
        error: { type: "not_found_error", message: expect.stringContaining(message) as string },
      },
    });
    expect(
      await post("/v1beta/models/gpt-4o:generateContent", { contents: [{ parts: [{ text: "Hi" }] }] }),
    ).toMatchObject({
      status: 404,
      body: {
        error: { code: 404, status: "NOT_FOUND", message: expect.stringContaining(message) as string },
      },
    });
    expect(await post("/v1beta/interactions", { model: "gpt-4o", input: "Hi" })).toMatchObject({
      status: 404,
      body: { error: { code: 404, status: "NOT_FOUND" } },
    });
    expect(gateway.upstream.calls()).toHaveLength(0);
  });

  it("is refused in any letter case, because some providers ignore it", async () => {
    // The channel of "gpt-*" would serve it.
    expect(await post("/v1/chat/completions", { model: "gpt-4O", messages: hello })).toMatchObject({
      status: 404,
      body: { error: { message: expect.stringContaining("is disabled by the operator") } },
    });
  });

  it("is refused on the other endpoints, and over WebSocket", async () => {
    const refused = { status: 404, body: { error: { message: expect.stringContaining(message) as string } } };
    expect(await post("/v1/embeddings", { model: "gpt-4o", input: "Hi" })).toMatchObject(refused);
    expect(await post("/v1/images/generations", { model: "gpt-4o", prompt: "Hi" })).toMatchObject(refused);
    expect(await post("/v1/messages/count_tokens", { model: "gpt-4o", messages: hello })).toMatchObject({
      status: 404,
    });
    const socket = new WebSocket(`${gateway.url.replace("http", "ws")}/v1/realtime?model=gpt-4o`, {
      headers: { authorization: `Bearer ${key}` },
    });
    const ending = await new Promise<string>((resolve) => {
      socket.on("message", (data: Buffer) => resolve(data.toString("utf8")));
      socket.on("unexpected-response", (_request, response) => resolve(String(response.statusCode)));
      socket.on("error", (error) => resolve(error.message));
      socket.on("close", (code) => resolve(String(code)));
    });
    socket.close();
    expect(ending).toMatch(/disabled by the operator|404/);
  });

  it("is refused under its aliases, and served under the names that channels map to it", async () => {
    expect(await chat("claude-4o")).toMatchObject({ status: 404 });
    expect((await chat("fast")).status).toBe(200);
    expect((await chat("gpt-4o-mini")).status).toBe(200);
  });

  it("is not listed for clients and visitors", async () => {
    const names = async () => (await get<{ data: { id: string }[] }>("/v1/models")).data.map(({ id }) => id);
    expect(await names()).toContain("demo-chat");
    expect(await names()).not.toContain("gpt-4o");
    expect(await names()).not.toContain("claude-4o");
    expect(
      (await fetch(`${gateway.url}/v1/models/gpt-4o`, { headers: { authorization: `Bearer ${key}` } }))
        .status,
    ).toBe(404);
    expect(Object.keys(await gateway.api<object>("GET", "/available_model"))).not.toContain("gpt-4o");
    await turn("gpt-4o", false);
    expect(await names()).toEqual(expect.arrayContaining(["gpt-4o", "claude-4o"]));
    expect(Object.keys(await gateway.api<object>("GET", "/available_model"))).toContain("gpt-4o");
  });

  it("is in the log with its name and the reason, and costs nothing", async () => {
    const before = (await gateway.logs()).length;
    await chat("gpt-4o");
    const [row] = await gateway.logs(before + 1);
    expect(row).toMatchObject({ model_name: "gpt-4o", quota: 0, error_code: "model_not_found" });
    expect(JSON.stringify(row)).toContain("disabled by the operator");
    expect(await gateway.drift()).toBe(0n);
  });

  it("is served again after it is enabled", async () => {
    await turn("gpt-4o", false);
    expect((await chat("gpt-4o")).status).toBe(200);
  });
});

describe("the route", () => {
  beforeEach(() => gateway.api("PUT", "/option", { key: "DisabledModels", value: null }));

  it("lists names once, in order, and keeps simultaneous changes", async () => {
    const names = Array.from({ length: 8 }, (_, number) => `model-${number}`);
    await Promise.all([...names, ...names].map((name) => turn(name, true)));
    expect(await gateway.api("GET", "/disabled_models")).toEqual(names);
    expect(await turn("model-3", false)).toEqual(names.filter((name) => name !== "model-3"));
  });

  it("records each change in the audit log", async () => {
    await turn("gpt-4o", true);
    const [entry] = await gateway.database.db.auditEntry.findMany({
      where: { target_id: "DisabledModels" },
      orderBy: { id: "desc" },
      take: 1,
    });
    expect(entry).toMatchObject({
      action: "setting.change",
      before: { value: "" },
      after: { value: "gpt-4o" },
    });
  });

  it("refuses patterns, control characters, empty names and too many models", async () => {
    for (const model of ["", " ", "gpt-*", "a\nb", "x".repeat(161)])
      await expect(turn(model, true)).rejects.toThrow("400");
    const most = Array.from({ length: MOST_DISABLED_MODELS }, (_, number) => `m${number}`).join("\n");
    await gateway.api("PUT", "/option", { key: "DisabledModels", value: most });
    await expect(turn("one-more", true)).rejects.toThrow("at most 500");
    await expect(gateway.api("PUT", "/option", { key: "DisabledModels", value: "gpt-*" })).rejects.toThrow(
      "exact model names",
    );
  });

  it("counts the enabled channels that serve a model, and names those that do by a pattern", async () => {
    expect(await gateway.api("GET", "/model_channels?model=gpt-4o")).toMatchObject({
      count: 2,
      by_pattern: [{ name: "pattern", pattern: "gpt-*" }],
      by_pattern_count: 1,
    });
    expect(await gateway.api("GET", "/model_channels?model=nothing")).toEqual({
      count: 0,
      by_pattern: [],
      by_pattern_count: 0,
    });
  });
});
