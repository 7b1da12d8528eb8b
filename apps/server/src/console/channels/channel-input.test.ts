import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Browser, buildConsole, type TestConsole } from "#test/console.ts";

const input = { type: 1, name: "One", key: "sk-a-key", models: ["gpt-4o"], groups: ["default"] };

let site: TestConsole;
let admin: Browser;

beforeAll(async () => {
  site = await buildConsole();
  admin = await site.as(await site.makeUser({ role: 10 }));
});
afterAll(() => site.close());

const wildcard = "A wildcard * is only allowed as the last character, after at least one other character";
const target = "The target of a mapping must be a model name";
const url = "The address must be an http or https URL";

const reservedHeaders =
  "Host connection Keep-Alive proxy-authorization TE trailer Transfer-Encoding upgrade content-length Content-Encoding " +
  "expect http2-settings sec-websocket-key";

/** The invalid values, the field that is named, and the message, which the console translates. */
const cases: [object, string, string][] = [
  [{ name: " " }, "name", "Name is required"],
  [{ name: "x".repeat(129) }, "name", "It cannot be longer than 128 characters"],
  [{ type: 4711 }, "type", "Channel type error"],
  [{ type: "many" }, "type", "Channel type error"],
  [{ key: " \n " }, "key", "API key is required"],
  [{ type: 8, key: "" }, "base_url", "API address is required"],
  [{ base_url: "ftp://example.com" }, "base_url", url],
  [{ base_url: "not a url" }, "base_url", url],
  [{ base_url: "javascript:alert(1)" }, "base_url", url],
  [
    { base_url: "https://user:pass@example.com" },
    "base_url",
    "The address must not contain a username or password.",
  ],
  [{ base_url: "https://example.com/?key=1" }, "base_url", "The address must end before any ? or #."],
  [{ models: [] }, "models", "At least one model is required"],
  [{ models: ["*"] }, "models.0", wildcard],
  [{ models: [" "] }, "models.0", "Model name is required"],
  [{ models: ["gpt-4o", "gpt-*-mini"] }, "models.1", wildcard],
  [{ groups: [] }, "groups", "At least one group is required"],
  [{ groups: ["default", "nobody"] }, "groups", 'There is no group named "nobody".'],
  [{ priority: -1 }, "priority", "Priority cannot be less than 0"],
  [{ priority: 1.5 }, "priority", "It must be a whole number"],
  [{ priority: 2_000_000_000_000 }, "priority", "It cannot be more than 1000000"],
  [{ weight: 0 }, "weight", "Weight cannot be less than 1"],
  [{ weight: 2_000_000 }, "weight", "It cannot be more than 1000000"],
  [{ model_mapping: { a: "" } }, "model_mapping.a", target],
  [{ model_mapping: { a: "++" } }, "model_mapping.a", target],
  [{ model_mapping: { a: 5 } }, "model_mapping.a", target],
  [{ model_mapping: "{ oops" }, "model_mapping", "Invalid JSON"],
  [{ model_headers: { "x bad": "1" } }, "model_headers.x bad", "This is not the name of an HTTP header"],
  [
    { model_headers: { "x-ok": "1\r\nx-evil: 2" } },
    "model_headers.x-ok",
    "This value has a character that cannot be sent",
  ],
  ...reservedHeaders
    .split(" ")
    .map((name): [object, string, string] => [
      { model_headers: { [name]: "1" } },
      `model_headers.${name}`,
      "The gateway sets this header itself",
    ]),
  [{ model_headers: { "x-a": "1", "X-A": "2" } }, "model_headers.X-A", "This header is already in the list"],
  [{ model_headers: "{ oops" }, "model_headers", "Invalid JSON"],
  [{ custom_parameter: [1] }, "custom_parameter", "Invalid JSON"],
  [{ custom_parameter: "{ oops" }, "custom_parameter", "Invalid JSON"],
  [
    { custom_parameter: { per_model: true, temperature: 1 } },
    "custom_parameter.temperature",
    "With per_model, every other entry must be an object of fields",
  ],
  [{ custom_parameter: { remove: "top_k" } }, "custom_parameter.remove", "It must be a list of field names"],
  [{ custom_parameter: { overwrite: 1 } }, "custom_parameter.overwrite", "It must be true or false"],
  [{ proxy: "ssh://example.com" }, "proxy", "The proxy must be an http, https or socks5 URL"],
  [{ pre_cost: 4 }, "pre_cost", expect.any(String)],
  [{ connect_timeout_ms: -1 }, "connect_timeout_ms", "It cannot be less than 0"],
  [{ idle_timeout_ms: 4_000_000 }, "idle_timeout_ms", "It cannot be more than an hour"],
  [{ max_concurrency: 1.5 }, "max_concurrency", "It must be a whole number"],
  [{ system_prompt: "x".repeat(20_001) }, "system_prompt", "It cannot be longer than 20,000 characters"],
];

describe("an invalid channel", () => {
  it.each(cases)("is rejected with a message on its field: %j", async (values, field, sentence) => {
    const count = await site.services.db.channel.count();
    const answer = await admin.send("POST", "/api/channel", { ...input, ...values });
    expect(answer.status).toBe(400);
    expect(answer.body.fields).toEqual({ [field]: sentence });
    expect(answer.body.message).not.toBe("");
    expect(await site.services.db.channel.count()).toBe(count);
  });

  it("is rejected with all errors at once", async () => {
    const answer = await admin.send("POST", "/api/channel", { ...input, name: "", priority: -1, weight: 0 });
    expect(Object.keys(answer.body.fields ?? {})).toEqual(["name", "priority", "weight"]);
  });

  it("is named with its error when a file is imported, and the others are accepted", async () => {
    const { key: _key, ...keyless } = input;
    const answer = await admin.send("POST", "/api/channel/import", {
      channels: [
        "text",
        { ...keyless, models: ["*x"] },
        { ...keyless, groups: ["nobody"] },
        { ...keyless, name: "Good" },
      ],
    });
    expect(answer.body.data).toMatchObject({
      created: [{ index: 3, name: "Good" }],
      failed: [
        { index: 0, field: "", params: { reason: "json_invalid" } },
        { index: 1, field: "models.0", params: { reason: "model_wildcard" } },
        { index: 2, field: "groups", params: { reason: "groups_unknown", groups: '"nobody"' } },
      ],
    });
  });
});

describe("an existing channel", () => {
  it.each([
    ["PATCH", { priority: -1 }, "priority", "Priority cannot be less than 0"],
    ["PATCH", { priority: 3_000_000_000 }, "priority", "It cannot be more than 1000000"],
    ["PATCH", { weight: 0 }, "weight", "Weight cannot be less than 1"],
    ["PUT", { ...input, weight: 0 }, "weight", "Weight cannot be less than 1"],
    ["PUT", { ...input, models: ["a*b"] }, "models.0", wildcard],
  ] as const)("is not changed by %s %j", async (method, body, field, sentence) => {
    const made = await admin.send<{ id: number }>("POST", "/api/channel", input);
    const answer = await admin.send(method, `/api/channel/${made.body.data.id}`, body);
    expect(answer.status).toBe(400);
    expect(answer.body.fields).toEqual({ [field]: sentence });
  });
});
