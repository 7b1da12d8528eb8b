import type Anthropic from "@anthropic-ai/sdk";
import { GoogleGenAI } from "@google/genai";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { startTestGateway, type TestGateway } from "#test/gateway.ts";

/** What coding agents request besides their calls: model lists, aliases, headers, errors. */
let gateway: TestGateway;
let key: string;

beforeAll(async () => {
  gateway = await startTestGateway();
  await gateway.addChannel({ type: 14, name: "claude", models: ["claude-opus-5", "gpt-4o"] });
  await gateway.addChannel({ type: 8, name: "chat", models: ["demo-chat", "gpt-oss-120b", "gpt-5.6-sol"] });
  for (const model of ["claude-opus-5", "gpt-4o", "gpt-oss-120b"])
    await gateway.addPrice(model).catch(() => undefined);
  await gateway.api("PUT", "/option", {
    key: "ModelAliases",
    value: '{"claude-demo": "demo-chat", "claude-none": "none"}',
  });
  ({ key } = await gateway.addToken());
});
afterAll(() => gateway.stop());

async function get<T>(path: string, headers: Record<string, string> = {}): Promise<T> {
  const answer = await fetch(gateway.url + path, { headers: { authorization: `Bearer ${key}`, ...headers } });
  expect(answer.status).toBe(200);
  return (await answer.json()) as T;
}

describe("an error of a path that several dialects share", () => {
  const anthropic = { "anthropic-version": "2023-06-01" };
  const google = { "x-goog-api-key": "sk-unknown" };
  const isAnthropic = { type: "error", error: { type: expect.any(String), message: expect.any(String) } };
  const isOpenAi = { error: { type: expect.any(String), code: expect.any(String) } };
  const isGoogle = { error: { code: expect.any(Number), status: expect.any(String) } };

  it.each([
    ["GET", "/v1/models/none", 404, isOpenAi, {}],
    ["GET", "/v1/models/none", 404, isAnthropic, anthropic],
    ["GET", "/v1/models/none", 404, isGoogle, google],
    ["GET", "/v1/nothing/here", 404, isOpenAi, {}],
    ["GET", "/v1/nothing/here", 404, isAnthropic, anthropic],
    ["POST", "/v1/nothing/here", 404, isGoogle, google],
    ["DELETE", "/v1/models", 405, isAnthropic, anthropic],
    ["GET", "/v1/files", 403, isOpenAi, {}],
    ["GET", "/v1/files", 403, isAnthropic, anthropic],
    ["GET", "/v1/files/file_1", 403, isAnthropic, anthropic],
    ["GET", "/openai/nothing", 404, isOpenAi, anthropic],
    ["POST", "/upload/v1/files", 404, isGoogle, google],
    ["POST", "/upload/v1beta/files", 404, isGoogle, {}],
    ["GET", "/v1/%zz", 400, isAnthropic, anthropic],
  ])("has the format of its client: %s %s %i", async (method, path, status, body, headers) => {
    const answer = await fetch(gateway.url + path, {
      method,
      headers: { authorization: `Bearer ${key}`, ...headers },
    });
    expect(answer.status).toBe(status);
    expect(await answer.json()).toMatchObject(body);
  });
});

describe("the pages of a model list", () => {
  const openaiNames = async () =>
    (await get<{ data: { id: string }[] }>("/v1/models")).data.map(({ id }) => id);

  it("are those of Anthropic's client, forwards and backwards, and without a limit all models", async () => {
    const client = gateway.anthropic(key);
    const expected = await openaiNames();
    const names: string[] = [];
    for await (const { id } of client.models.list({ limit: 2 })) names.push(id);
    expect(names).toEqual(expected);
    const first = await client.models.list({ limit: 2 });
    expect(first).toMatchObject({ has_more: true, first_id: expected[0], last_id: expected[1] });
    expect((await client.models.list()).data).toHaveLength(expected.length);
    const before = await client.models.list({ limit: 2, before_id: expected.at(-1)! });
    expect(before.data.map(({ id }) => id)).toEqual(expected.slice(-3, -1));
    expect(before.has_more).toBe(expected.length > 3);
  });

  it("are those of Google's client", async () => {
    const google = new GoogleGenAI({ apiKey: key, httpOptions: { baseUrl: gateway.url } });
    const names: (string | undefined)[] = [];
    const pager = await google.models.list({ config: { pageSize: 2 } });
    expect(pager.page).toHaveLength(2);
    for await (const { name } of pager) names.push(name);
    expect(names).toEqual((await openaiNames()).map((id) => `models/${id}`));
  });

  it.each([
    ["limit=0", 400],
    ["limit=x", 400],
    ["limit=1001", 400],
    ["after_id=none", 404],
    ["before_id=none", 404],
    ["after_id=a&after_id=b", 400],
  ])("with %s are refused", async (query, status) => {
    const answer = await fetch(`${gateway.url}/v1/models?${query}`, {
      headers: { authorization: `Bearer ${key}`, "anthropic-version": "2023-06-01" },
    });
    expect(answer.status).toBe(status);
    expect(await answer.json()).toMatchObject({ type: "error" });
  });

  it("have every field that Anthropic's types require", async () => {
    const required: Record<keyof Anthropic.ModelInfo, true> = {
      id: true,
      capabilities: true,
      created_at: true,
      deprecated_at: true,
      display_name: true,
      lifecycle: true,
      line: true,
      max_input_tokens: true,
      max_tokens: true,
      retires_at: true,
      type: true,
    };
    for (const model of (await gateway.anthropic(key).models.list()).data)
      expect(Object.keys(model)).toEqual(expect.arrayContaining(Object.keys(required)));
  });
});

describe("the list for Claude Code", () => {
  it("contains the limits of a model, and aliases of existing models", async () => {
    const { data } = await get<{ data: Record<string, unknown>[] }>("/v1/models?limit=1000", {
      "anthropic-version": "2023-06-01",
    });
    expect(data.find(({ id }) => id === "gpt-4o")).toMatchObject({
      type: "model",
      max_input_tokens: 128_000,
      max_tokens: 16_384,
    });
    const names = data.map(({ id }) => id);
    expect(names).toContain("claude-demo");
    expect(names).not.toContain("claude-none");
  });

  it("a call by an alias uses and bills the model, in every dialect", async () => {
    gateway.upstream.control.reset();
    const message = await gateway
      .anthropic(key)
      .messages.create({ model: "claude-demo", max_tokens: 9, messages: [{ role: "user", content: "Hi" }] });
    expect(message.type).toBe("message");
    expect(gateway.upstream.calls().at(-1)?.body).toMatchObject({ model: "demo-chat" });
    await gateway.openai(key).chat.completions.create({
      model: "claude-demo",
      messages: [{ role: "user", content: "Hi" }],
    });
    expect(gateway.upstream.calls().at(-1)?.body).toMatchObject({ model: "demo-chat" });
    const counted = await gateway
      .anthropic(key)
      .messages.countTokens({ model: "claude-demo", messages: [{ role: "user", content: "Hi" }] });
    expect(counted.input_tokens).toBeGreaterThan(0);
    expect(new Set((await gateway.logs(2)).map((row) => row.model_name))).toEqual(new Set(["demo-chat"]));
  });

  it("a key needs access to the model, not to its alias", async () => {
    const limits = { limit_model_setting: { enabled: true, models: ["claude-*"] } };
    const other = await gateway.addToken({ name: "limited", setting: { limits } });
    const answer = await fetch(`${gateway.url}/v1/messages`, {
      method: "POST",
      headers: { "x-api-key": other.key, "content-type": "application/json" },
      body: JSON.stringify({
        model: "claude-demo",
        max_tokens: 9,
        messages: [{ role: "user", content: "Hi" }],
      }),
    });
    expect(answer.status).toBe(403);
  });

  it("invalid JSON as aliases is rejected", async () => {
    for (const value of ["{", '{"a": 1}'])
      await expect(gateway.api("PUT", "/option", { key: "ModelAliases", value })).rejects.toThrow();
  });
});

describe("Anthropic's protocol for gateways", () => {
  const ask = (text: string, headers: Record<string, string> = {}, path = "/v1/messages?beta=true") =>
    fetch(gateway.url + path, {
      method: "POST",
      headers: { "x-api-key": key, "content-type": "application/json", ...headers },
      body: JSON.stringify({
        model: "claude-opus-5",
        max_tokens: 9,
        messages: [{ role: "user", content: text }],
      }),
    });

  it("forwards every anthropic- header, and returns a request id where its clients read it", async () => {
    const answer = await ask("Hi", {
      "anthropic-version": "2023-06-01",
      "anthropic-beta": "a,b",
      "anthropic-next-year": "yes",
      "x-other": "no",
    });
    expect(answer.headers.get("request-id")).toBe(answer.headers.get("x-request-id"));
    const { headers } = gateway.upstream.calls().at(-1)!;
    expect(headers).toMatchObject({ "anthropic-beta": "a,b", "anthropic-next-year": "yes" });
    expect(headers["x-other"]).toBeUndefined();
  });

  it("returns an error about the request as the provider wrote it", async () => {
    const answer = await ask("Hi [[status=400]]");
    expect(answer.status).toBe(400);
    const body = (await answer.json()) as {
      type: string;
      error: Record<string, unknown>;
      request_id: string;
    };
    const { key: _key, ...rest } = { key, ...body };
    expect(rest).toMatchObject({ type: "error", error: { type: "invalid_request_error" } });
    expect(body.error["message"]).not.toContain("request id");
    expect(Object.keys(body.error).toSorted()).toEqual(["message", "type"]);
    expect(body.request_id).toBe(answer.headers.get("request-id"));
  });

  it("keeps the client's first block first when the channel has a system prompt", async () => {
    await gateway.addChannel({
      type: 14,
      name: "with a prompt",
      models: ["prompted"],
      model_mapping: { prompted: "demo-chat" },
      system_prompt: "Ours.",
      system_prompt_place: "before",
    });
    const system = [
      { type: "text", text: "First." },
      { type: "text", text: "Second." },
    ];
    const send = (client: object) =>
      fetch(`${gateway.url}/v1/messages`, {
        method: "POST",
        headers: { "x-api-key": key, "content-type": "application/json" },
        body: JSON.stringify({
          model: "prompted",
          max_tokens: 9,
          messages: [{ role: "user", content: "Hi" }],
          ...client,
        }),
      });
    expect((await send({ system })).status).toBe(200);
    const sent = gateway.upstream.calls().at(-1)?.body as { system: { text: string }[] };
    expect(sent.system.map(({ text }) => text)).toEqual(["First.", "Ours.", "Second."]);
  });

  it("reports in its own format that batches are not supported", async () => {
    const answer = await fetch(`${gateway.url}/v1/messages/batches`, {
      method: "POST",
      headers: { "x-api-key": key },
    });
    expect(answer.status).toBe(404);
    expect(await answer.json()).toMatchObject({ type: "error", error: { type: "not_found_error" } });
  });
});

/**
 * Fields that Codex requires, or reads if they are there. It rejects the whole list for one wrong entry.
 * `codex-rs/protocol/src/openai_models.rs`, read 2026-11-25.
 */
const effort = z.enum(["none", "minimal", "low", "medium", "high", "xhigh"]);
const ModelInfo = z.strictObject({
  slug: z.string(),
  display_name: z.string(),
  description: z.string().nullable(),
  default_reasoning_level: effort.optional(),
  supported_reasoning_levels: z.array(z.strictObject({ effort, description: z.string() })),
  shell_type: z.enum(["default", "local", "unified_exec", "disabled", "shell_command"]),
  visibility: z.enum(["list", "hide", "none"]),
  supported_in_api: z.boolean(),
  priority: z.int32(),
  availability_nux: z.null(),
  upgrade: z.null(),
  base_instructions: z.string().min(1),
  supports_reasoning_summaries: z.boolean(),
  support_verbosity: z.boolean(),
  default_verbosity: z.enum(["low", "medium", "high"]).nullable(),
  apply_patch_tool_type: z.enum(["freeform", "function"]).nullable(),
  truncation_policy: z.strictObject({ mode: z.enum(["bytes", "tokens"]), limit: z.int() }),
  supports_parallel_tool_calls: z.boolean(),
  supports_image_detail_original: z.boolean(),
  context_window: z.int().positive().optional(),
  max_context_window: z.int().positive().optional(),
  effective_context_window_percent: z.int().min(1).max(100),
  experimental_supported_tools: z.array(z.string()),
  input_modalities: z.array(z.enum(["text", "image"])),
});

describe("the catalogue for Codex", () => {
  it("lists every model in Codex's shape", async () => {
    const { models } = await get<{ models: Record<string, unknown>[] }>("/v1/models?client_version=0.169.0");
    const slugs = models.map(({ slug }) => slug);
    expect(slugs).toContain("demo-chat");
    // The list replaces the one of Codex.
    expect(models.find(({ slug }) => slug === "gpt-5.6-sol")).toMatchObject({
      apply_patch_tool_type: "freeform",
    });
    expect(models.find(({ slug }) => slug === "demo-chat")).toMatchObject({ apply_patch_tool_type: null });
    expect(models.find(({ slug }) => slug === "gpt-oss-120b")).toMatchObject({
      default_reasoning_level: "medium",
      supported_reasoning_levels: [{ effort: "low" }, { effort: "medium" }, { effort: "high" }],
      visibility: "list",
      supported_in_api: true,
    });
    expect(models.find(({ slug }) => slug === "gpt-4o")).toMatchObject({ context_window: 128_000 });
    for (const model of models) expect(ModelInfo.safeParse(model).error).toBeUndefined();
  });
});
