import { request as httpRequest } from "node:http";
import { connect } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startTestGateway, type TestGateway } from "#test/gateway.ts";

/** Where clients put the model, the key and the version, in all the spellings that they use. */
let gateway: TestGateway;
let key: string;

const names = [
  "acme/model-1",
  "org/team/model.v2",
  "two words",
  "通义千问-1",
  "モデル",
  "claude@20260101",
  "ft:gpt:org::id",
];

beforeAll(async () => {
  gateway = await startTestGateway();
  const mapping = (target: string) => Object.fromEntries(names.map((name) => [name, target]));
  await gateway.addChannel({ type: 8, name: "chat", models: names, model_mapping: mapping("demo-chat") });
  const embeddings = names.map((name) => `e/${name}`);
  await gateway.addChannel({
    type: 8,
    name: "embeddings",
    models: embeddings,
    model_mapping: Object.fromEntries(embeddings.map((name) => [name, "demo-embedding"])),
  });
  key = (await gateway.addToken()).key;
});
afterAll(() => gateway.stop());

const contents = { contents: [{ role: "user", parts: [{ text: "x" }] }] };

/** Sends a path exactly as it is; `fetch` would escape it. */
function send(
  method: string,
  path: string,
  body?: object,
  headers: Record<string, string> = { authorization: `Bearer ${key}` },
): Promise<{ status: number; text: string }> {
  const { hostname, port } = new URL(gateway.url);
  return new Promise((resolve, reject) => {
    const request = httpRequest(
      { hostname, port, method, path, headers: { ...headers, "content-type": "application/json" } },
      (response) => {
        let text = "";
        response.setEncoding("utf8").on("data", (part: string) => (text += part));
        response.on("end", () => resolve({ status: response.statusCode ?? 0, text }));
      },
    );
    request.on("error", reject).end(body === undefined ? undefined : JSON.stringify(body));
  });
}

/** A name as clients write it into a path. */
const spellings = (name: string) => [
  encodeURI(name),
  encodeURIComponent(name),
  encodeURIComponent(name).replaceAll("%3A", ":").replaceAll("%40", "@"),
];

describe("the name of a model in a path", () => {
  it("is any name that works in a body", async () => {
    const wrong: string[] = [];
    for (const name of names) {
      const chat = { model: name, messages: [{ role: "user", content: "x" }] };
      const requests: [string, string, object?][] = [["POST", "/v1/chat/completions", chat]];
      // Each spelling below one root, and one spelling below each root.
      const [first = "", ...others] = spellings(name);
      const paths = [
        ...["/v1beta/models", "/v1/models", "/gemini/v1beta/models"].map((root) => `${root}/${first}`),
        ...others.map((spelled) => `/v1beta/models/${spelled}`),
      ];
      for (const path of paths)
        requests.push(
          ["POST", `${path}:generateContent`, contents],
          ["POST", `${path}%3AcountTokens`, contents],
          ["GET", path],
        );
      for (const [method, path, body] of requests) {
        const { status, text } = await send(method, path, body);
        if (status !== 200) wrong.push(`${method} ${path}: ${status} ${text}`);
      }
    }
    expect(wrong).toEqual([]);
  });

  it("of an embedding model may have a slash, too", async () => {
    for (const name of names) {
      const { status, text } = await send("POST", `/v1beta/models/e/${encodeURI(name)}:embedContent`, {
        content: { parts: [{ text: "x" }] },
      });
      expect(status, `${name}: ${text}`).toBe(200);
    }
  });

  it("leads to no other path of the provider", async () => {
    for (const path of [
      "..%2F..%2Fx",
      "a/../b",
      "a%252F..",
      ".",
      "a%3Fb",
      "a%23b",
      "a%5Cb",
      "a%00b",
      "",
      "%20a",
    ]) {
      const { status } = await send("POST", `/v1beta/models/${path}:generateContent`, contents);
      expect([400, 404], path).toContain(status);
    }
  });
});

describe("the key of a client", () => {
  const other = { "x-api-key": "sk-ant-api03-a-key-of-another-service" };

  it("is the first one that the gateway knows, in whichever header it is", async () => {
    const foreign = "sk-ant-api03-a-key-of-another-service-0123";
    const places = ["authorization", "x-api-key", "x-goog-api-key", "api-key", "mj-api-secret"];
    const wrong: string[] = [];
    for (const right of places)
      for (const besides of places.filter((place) => place !== right)) {
        const headers = { [besides]: foreign, [right]: right === "authorization" ? `Bearer ${key}` : key };
        const { status } = await send("GET", "/v1/models", undefined, headers);
        if (status !== 200) wrong.push(`${right} beside ${besides}: ${status}`);
      }
    expect(wrong).toEqual([]);
    // Of two keys of the gateway, that in Authorization counts, also when it is refused.
    const off = await gateway.addToken();
    await gateway.api("PUT", "/token", { id: off.id, status: 2 });
    for (const [first, second, status] of [
      [key, off.key, 200],
      [off.key, key, 401],
    ] as const) {
      const headers = { authorization: `Bearer ${first}`, "x-api-key": second };
      expect((await send("GET", "/v1/models", undefined, headers)).status).toBe(status);
    }
  });

  it("is required: wrong keys in every header are refused, and each counts as a guess", async () => {
    const { status, text } = await send("GET", "/v1/models", undefined, {
      ...other,
      authorization: "Bearer sk-no",
    });
    expect([status, JSON.parse(text)]).toMatchObject([401, { error: { code: "invalid_api_key" } }]);
  });
});

describe("an address without its version", () => {
  it("reaches the endpoints of OpenAI and Anthropic", async () => {
    const messages = [{ role: "user", content: "x" }];
    const [model] = names;
    for (const [path, body] of [
      ["/chat/completions", { model, messages }],
      ["/responses", { model, input: "x" }],
      ["/messages", { model, messages, max_tokens: 5 }],
      [`/models/${model}:generateContent`, contents],
    ] as const) {
      const { status, text } = await send("POST", path, body);
      expect([path, status], text).toEqual([path, 200]);
    }
    const list = await send("GET", "/models");
    expect(JSON.parse(list.text)).toMatchObject({ object: "list" });
  });

  it("is named when a request is refused", async () => {
    for (const path of ["/chat/completions", "/responses", "/messages", "/embeddings", "/unknown"]) {
      const refused = await send("POST", path, { model: names[0] });
      expect(refused.text.includes(`it was read as /v1${path}`), refused.text).toBe(path !== "/unknown");
      expect((await send("POST", `/v1${path}`, { model: names[0] })).text).not.toContain("it was read as");
    }
  });
});

describe("an address outside of the API", () => {
  it("is answered with the start of the right one, in the dialect that it suggests", async () => {
    for (const [method, path] of [
      ["POST", "/deepseek/v1/chat/completions"],
      ["POST", "/v2/chat/completions"],
      ["POST", "/x/v1/messages"],
      ["POST", "/google/v1beta/models/m:generateContent"],
      ["GET", "/x/v1/models"],
      ["POST", "/v1"],
    ] as const) {
      const { status, text } = await send(method, path, method === "GET" ? undefined : {});
      expect(status, path).toBe(404);
      const { type, error } = JSON.parse(text) as {
        type?: string;
        error: { message: string; status?: string };
      };
      expect(error.message).toContain(`does not serve ${method} ${path}`);
      expect(error.message).toContain("begin with /v1 or /v1beta.");
      expect(type === "error", text).toBe(path.endsWith("/messages"));
      expect(error.status === "NOT_FOUND", text).toBe(path.includes("/v1beta/"));
    }
  });

  it("of Messages may begin with /anthropic", async () => {
    const body = { model: names[0], max_tokens: 5, messages: [{ role: "user", content: "x" }] };
    for (const path of ["/anthropic/v1/messages", "/anthropic/messages"])
      expect((await send("POST", path, body)).status, path).toBe(200);
  });
});

describe("a request with two Host headers", () => {
  it("is refused in the dialect of its path", async () => {
    const { hostname, port } = new URL(gateway.url);
    const ask = (path: string) =>
      sendBytes(
        hostname,
        Number(port),
        `GET ${path} HTTP/1.1\r\nHost: a\r\nhost: b\r\nConnection: close\r\n\r\n`,
      );
    for (const path of ["/v1/models", "/v1/messages", "/api/status", "/"]) {
      const answer = await ask(path);
      expect(answer, path).toMatch(/^HTTP\/1\.1 400 /);
      expect(answer).toContain("more than one Host header");
    }
  });
});

function sendBytes(host: string, port: number, text: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, host, () => socket.write(text));
    let answer = "";
    socket.setEncoding("utf8").on("data", (part: string) => (answer += part));
    socket.on("end", () => resolve(answer)).on("error", reject);
  });
}
