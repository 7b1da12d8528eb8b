import { once } from "node:events";
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  request,
  type ServerResponse,
} from "node:http";
import { connect } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startTestGateway, type TestGateway } from "#test/gateway.ts";
import { nightly } from "#test/nightly.ts";

/** What is decided about a request before its body is read, and which parts a provider receives. */
let gateway: TestGateway;
let key: string;
let openId: number;

interface Seen {
  url: string;
  headers: IncomingHttpHeaders;
  body: string;
}
let seen: Seen[] = [];
let respond = (response: ServerResponse) => {
  response.writeHead(200, { "content-type": "application/json" }).end("{}");
};
const provider = createServer((incoming, response) => {
  void (async () => {
    let body = "";
    for await (const chunk of incoming) body += String(chunk);
    seen.push({ url: incoming.url ?? "", headers: incoming.headers, body });
    respond(response);
  })();
});

beforeAll(async () => {
  gateway = await startTestGateway();
  provider.listen(0, "127.0.0.1");
  await once(provider, "listening");
  const base_url = `http://127.0.0.1:${(provider.address() as { port: number }).port}`;
  await gateway.addChannel({ type: 900, name: "demo" });
  const open = await gateway.addChannel({ type: 1, name: "open", base_url, models: ["cheap", "gemini-*"] });
  openId = open.id;
  await gateway.addChannel({ type: 25, name: "gemini", base_url, models: ["gemini-*"] });
  for (const model of ["cheap", "gemini-*"]) await gateway.addPrice(model);
  ({ key } = await gateway.addToken({ unlimited_quota: true }));
});
afterAll(async () => {
  provider.closeAllConnections();
  provider.close();
  await gateway.stop();
});

async function send(
  path: string,
  body: string | undefined,
  headers: Record<string, string> = {},
  method?: string,
) {
  const response = await fetch(gateway.url + path, {
    method: method ?? (body === undefined ? "GET" : "POST"),
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json", ...headers },
    body: body ?? null,
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, text };
}

/** Sends a head without a body and returns the response that arrives before the body. */
async function head(lines: string): Promise<string> {
  const socket = connect(Number(new URL(gateway.url).port), "127.0.0.1");
  let text = "";
  socket.setTimeout(20_000, () => socket.destroy());
  socket.write(`${lines}\r\n\r\n`);
  for await (const bytes of socket) {
    text += String(bytes);
    // Leaving the loop closes the socket.
    if (/\r\n\r\n[^]*\}/.test(text)) break;
  }
  return text;
}

/** Sends the path unchanged; `fetch` would normalize it. */
async function statusOf(path: string): Promise<number | undefined> {
  const { hostname, port } = new URL(gateway.url);
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
  const sent = request({ hostname, port, path, method: "POST", headers });
  sent.end(JSON.stringify({ contents: [{ parts: [{ text: "x" }] }] }));
  const [answer] = (await once(sent, "response")) as [IncomingMessage];
  answer.resume();
  return answer.statusCode;
}

const say = [{ role: "user", content: "Hello" }];
const paths = {
  chat: "/v1/chat/completions",
  responses: "/v1/responses",
  messages: "/v1/messages",
  gemini: "/v1beta/models/gemini-x:generateContent",
  interactions: "/v1beta/interactions",
  stableInteractions: "/v1/interactions",
  embeddings: "/v1/embeddings",
  images: "/v1/images/generations",
  forms: "/v1/audio/transcriptions",
  rerank: "/v1/rerank",
  compact: "/v1/responses/compact",
  conversations: "/v1/conversations",
  files: "/v1/files",
  batches: "/v1/batches",
  suno: "/suno/submit/music",
  kling: "/kling/v1/videos/text2video",
  midjourney: "/mj/submit/imagine",
};

describe("intake: before the body", () => {
  it.concurrent.each(Object.entries(paths))(
    "%s: rejects a missing key and too many bytes without reading them",
    async (_name, path) => {
      const announced = "content-type: application/json\r\ncontent-length: 64000000";
      expect(await head(`POST ${path} HTTP/1.1\r\nhost: x\r\n${announced}`)).toMatch(/^HTTP\/1.1 401 /);
      if (/files|batches/.test(path)) return;
      const large = "content-type: application/json\r\ncontent-length: 70000000";
      const answer = await head(
        `POST ${path} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${key}\r\n${large}`,
      );
      expect(answer).toMatch(/^HTTP\/1.1 413 /);
    },
  );

  it("counts every endpoint in the rate limit", async () => {
    const limited = await gateway.addToken({
      unlimited_quota: true,
      setting: { rates: { requests_per_minute: 1, tokens_per_minute: 0 } },
    });
    const own = { authorization: `Bearer ${limited.key}` };
    expect((await send("/v1/models", undefined, own)).status).toBe(200);
    for (const [name, path] of Object.entries(paths)) {
      const answer = await send(path, "{}", own);
      expect([name, answer.status, answer.headers.get("retry-after") !== null]).toEqual([name, 429, true]);
    }
    for (const path of [
      "/v1/responses/resp_1",
      "/suno/fetch/1",
      "/mj/task/1/fetch",
      "/v1/conversations/conv_1",
      "/v1beta/interactions/int_1",
    ])
      expect((await send(path, undefined, own)).status).toBe(429);
  });

  it("limits wrong keys per address, and lets known keys of that address pass", async () => {
    const from = { "x-forwarded-for": "198.51.100.7" };
    expect((await send("/v1/models", undefined, from)).status).toBe(200);
    const wrong = (index: number) => ({
      ...from,
      authorization: `Bearer sk-${String(index).padStart(48, "0")}`,
    });
    const statuses = [];
    for (let index = 0; index < 100; index += 1)
      statuses.push((await send("/v1/models", undefined, wrong(index))).status);
    expect(statuses).toEqual(Array.from({ length: 100 }, () => 401));
    // A few more may pass: the limit allows one more each 0.6 seconds.
    let refused = await send("/v1/messages", "{}", wrong(100));
    for (let index = 101; index < 1_000 && refused.status === 401; index += 1)
      refused = await send("/v1/messages", "{}", wrong(index));
    expect([refused.status, JSON.parse(refused.text).type]).toEqual([429, "error"]);
    expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
    expect((await send("/v1/models", undefined, from)).status).toBe(200);
    expect(
      (await send("/v1/models", undefined, { ...wrong(1), "x-forwarded-for": "198.51.100.8" })).status,
    ).toBe(401);
  });

  for (const [name, path] of Object.entries(paths).filter(([, each]) => !/files|batches/.test(each))) {
    it(`${name}: rejects JSON with too much depth with 400`, async () => {
      const deep = `{"a":${"[".repeat(20_000)}${"]".repeat(20_000)}}`;
      expect((await send(path, deep)).status).toBe(400);
    });

    // The same limits at every endpoint, but three megabytes for each.
    it(`${name}: rejects JSON with too many values with 413`, nightly(name !== "chat"), async () => {
      expect((await send(path, `{"a":[${"{},".repeat(500_001)}{}]}`)).status).toBe(413);
      expect((await send(path, `{"a":[${"1,".repeat(500_001)}1]}`)).status).toBe(413);
    });
  }
});

describe("intake: unambiguous requests", () => {
  const chat = { model: "cheap", max_tokens: 5, messages: say };
  const ambiguous: [string, string, string, string][] = [
    ["Model", paths.chat, `{"model":"cheap","messages":[],"Model":"dear"}`, "Model"],
    ["model twice", paths.chat, `{"model":"cheap","messages":[],"model":"dear"}`, "model"],
    ["an escaped model", paths.chat, `{"model":"cheap","messages":[],"mod\\u0065l":"dear"}`, "model"],
    ["MAX_TOKENS", paths.chat, JSON.stringify({ ...chat, MAX_TOKENS: 5_000 }), "MAX_TOKENS"],
    ["N", paths.chat, JSON.stringify({ ...chat, N: 7 }), "N"],
    ["a long s", paths.chat, JSON.stringify({ ...chat, "\u017ftream": true }), "\u017ftream"],
    ["a Kelvin sign", paths.chat, JSON.stringify({ ...chat, "max_to\u212aens": 9 }), "max_to\u212aens"],
    ["a NUL", paths.chat, JSON.stringify({ ...chat, "model\0": "dear" }), "model\0"],
    [
      "Stream_Options",
      paths.chat,
      JSON.stringify({ ...chat, stream_options: { Include_Usage: false } }),
      "stream_options.Include_Usage",
    ],
    [
      "a message's Content",
      paths.chat,
      JSON.stringify({ ...chat, messages: [{ ...say[0], Content: "x" }] }),
      "messages.0.Content",
    ],
    ["Model", paths.responses, `{"model":"cheap","input":"x","Model":"dear"}`, "Model"],
    [
      "Max_Output_Tokens",
      paths.responses,
      `{"model":"cheap","input":"x","Max_Output_Tokens":9}`,
      "Max_Output_Tokens",
    ],
    [
      "Budget_Tokens",
      paths.messages,
      `{"model":"cheap","max_tokens":9,"messages":[],"thinking":{"type":"enabled","Budget_Tokens":9}}`,
      "thinking.Budget_Tokens",
    ],
    [
      "Max_Tokens",
      paths.messages,
      `{"model":"cheap","max_tokens":9,"Max_Tokens":99,"messages":[]}`,
      "Max_Tokens",
    ],
    [
      "two spellings",
      paths.gemini,
      `{"contents":[],"generationConfig":{"maxOutputTokens":1,"max_output_tokens":9}}`,
      "generationConfig.max_output_tokens",
    ],
    [
      "two configurations",
      paths.gemini,
      `{"contents":[],"generationConfig":{},"generation_config":{}}`,
      "generation_config",
    ],
    [
      "CandidateCount",
      paths.gemini,
      `{"contents":[],"generationConfig":{"CandidateCount":9}}`,
      "generationConfig.CandidateCount",
    ],
    ["Model", paths.embeddings, `{"model":"cheap","input":"x","Model":"dear"}`, "Model"],
    ["N", paths.images, `{"model":"cheap","prompt":"x","N":9}`, "N"],
    ["Input", "/v1/audio/speech", `{"model":"cheap","input":"x","Input":"y"}`, "Input"],
    ["Documents", paths.rerank, `{"model":"cheap","query":"x","documents":[],"Documents":[]}`, "Documents"],
    ["Model", "/v1/moderations", `{"input":"x","Model":"dear"}`, "Model"],
    ["Best_Of", "/v1/completions", `{"model":"cheap","prompt":"x","Best_Of":9}`, "Best_Of"],
    ["MV", paths.suno, `{"prompt":"x","MV":"dear"}`, "MV"],
    ["Mode", paths.kling, `{"prompt":"x","Mode":"pro"}`, "Mode"],
  ];
  it.each(ambiguous)("rejects %s at %s and names the field", async (_what, path, body, field) => {
    seen = [];
    const answer = await send(path, body);
    expect(answer.status).toBe(400);
    expect(answer.text).toContain(JSON.stringify(field).slice(1, -1));
    expect(seen).toEqual([]);
  });

  it("leaves the content of free-form fields unchanged", async () => {
    const properties = { Model: { type: "string" }, model: { type: "string" }, N: { type: "integer" } };
    const parameters = { type: "object", properties };
    const tools = [{ type: "function", function: { name: "pick", parameters } }];
    const body = { ...chat, model: "demo-chat", metadata: { Model: "a", model: "b" }, tools };
    expect((await send(paths.chat, JSON.stringify(body))).status).toBe(200);
  });

  it("rewrites a body when a key is repeated in a free-form field", async () => {
    seen = [];
    const body = `{"model":"cheap","max_tokens":5,"messages":${JSON.stringify(say)},"metadata":{"a":"1","a":"2"}}`;
    await send(paths.chat, body);
    expect(seen.at(-1)?.body).toContain('"metadata":{"a":"2"}');
    expect(seen.at(-1)?.body).not.toContain('"a":"1"');
  });

  it("rejects bytes that are not UTF-8 and quotes no part of an invalid body", async () => {
    const bytes = Buffer.from(`{"model":"cheap","mod\xffel":"dear"}`, "latin1");
    const response = await fetch(gateway.url + paths.chat, {
      method: "POST",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      body: bytes,
    });
    expect([response.status, await response.text()]).toEqual([400, expect.stringContaining("UTF-8")]);
    const broken = await send(paths.chat, `{"secret-text" oops`);
    expect(broken.status).toBe(400);
    expect(broken.text).not.toContain("secret");
  });

  it.each([
    "gemini-flash/%2e%2e/gemini-pro",
    "gemini-flash%2F..%2Fgemini-pro",
    "gemini-flash%252F%252E%252E%252Fgemini-pro",
    "gemini-x%3Fkey=1",
    "gemini-x%23a",
    "gemini-x%5C..%5Cy",
    "%2e%2e/%2e%2e/tunedModels/private",
  ])("rejects the model name %s in a path", async (name) => {
    seen = [];
    for (const prefix of ["/v1beta/models", "/v1/models", "/gemini/v1beta/models"])
      for (const action of ["generateContent", "countTokens", "embedContent"]) {
        expect([400, 404]).toContain(await statusOf(`${prefix}/${name}:${action}`));
      }
    expect(seen).toEqual([]);
  });

  it("rejects a query parameter that is repeated or spelled differently", async () => {
    for (const query of ["key=a&key=b", "Key=a", "alt=sse&alt=json", "ALT=sse"])
      expect((await send(`${paths.gemini}?${query}`, "{}")).status).toBe(400);
  });
});

describe("intake: provider content never runs in the gateway's origin", () => {
  const hostile = {
    "content-type": "text/html",
    "content-security-policy": "default-src *",
    "content-security-policy-report-only": "default-src *",
    "x-content-type-options": "sniff",
    "clear-site-data": '"*"',
    refresh: "0; url=https://evil.example",
    link: "<https://evil.example/x.css>; rel=stylesheet",
    location: "https://evil.example",
    "set-cookie": "a=1",
    "service-worker-allowed": "/",
    "access-control-allow-credentials": "true",
    "strict-transport-security": "max-age=1",
    "content-disposition": 'inline; filename="a.html"',
  };
  const dropped = Object.keys(hostile).filter(
    (name) => !name.startsWith("content-") && !name.startsWith("x-"),
  );

  it.each([
    "text/html",
    "image/svg+xml",
    "image/x-svg+xml",
    "video/xml",
    "AUDIO/HTML+x",
    "application/xhtml+xml",
    "text/html, application/json",
    "multipart/mixed",
    "",
  ])("returns the content type %j as a download", async (type) => {
    respond = (response) =>
      void response.writeHead(200, { ...hostile, "content-type": type }).end("<script>1</script>");
    const pinned = { authorization: `Bearer ${key}#${openId}` };
    const answers = [
      await send("/v1/files/evil/content", undefined, pinned),
      await send("/v1/audio/speech", JSON.stringify({ model: "cheap", input: "x" }), pinned),
    ];
    for (const { headers, status } of answers) {
      expect(status).toBe(200);
      expect(headers.get("content-disposition")).toMatch(/^attachment/);
      expect(headers.get("content-security-policy")).toMatch(/^sandbox; default-src 'none'/);
      expect(headers.get("x-content-type-options")).toBe("nosniff");
      expect(dropped.filter((name) => headers.has(name))).toEqual([]);
    }
  });

  it("returns audio, images and JSON unchanged", async () => {
    for (const type of ["audio/mpeg", "image/png", "application/json"]) {
      respond = (response) => void response.writeHead(200, { "content-type": type }).end("{}");
      const answer = await send("/v1/files/x/content", undefined, {
        authorization: `Bearer ${key}#${openId}`,
      });
      expect([answer.headers.get("content-type"), answer.headers.get("content-disposition")]).toEqual([
        type,
        null,
      ]);
    }
  });

  it("accepts a key in the address at Gemini's endpoints only, and never forwards it", async () => {
    const none = { authorization: "" };
    for (const path of ["/v1/models", "/v1/files/x/content", "/v1/responses/resp_1", "/v1/realtime?model=m"])
      expect((await send(`${path}${path.includes("?") ? "&" : "?"}key=${key}`, undefined, none)).status).toBe(
        401,
      );
    expect((await send(`${paths.chat}?key=${key}`, "{}", none)).status).toBe(401);
    expect((await send(`/v1beta/models?key=${key}`, undefined, none)).status).toBe(200);
    seen = [];
    await send(
      `${paths.gemini}?key=${key}`,
      JSON.stringify({ contents: [{ parts: [{ text: "x" }] }] }),
      none,
    );
    expect(JSON.stringify(seen)).not.toContain(key);
  });
});

describe("intake: a pinned call", () => {
  it("requires the permission to edit channels, except for reading", async () => {
    await gateway.api("POST", "/user/", { username: "viewer", password: "correct horse", group: "default" });
    const viewer = await gateway.database.db.user.findFirstOrThrow({ where: { username: "viewer" } });
    const own = await gateway.addToken({ unlimited_quota: true });
    await gateway.database.db.token.update({ where: { id: own.id }, data: { user_id: viewer.id } });
    const rights = async (channels: string) => {
      const data = { role: 10, permissions: { channels }, quota: 1_000_000n };
      await gateway.database.db.user.update({ where: { id: viewer.id }, data });
      await gateway.database.pool.query("SELECT pg_notify('gateway_changes', 'users:0')");
    };
    const pinned = { authorization: `Bearer ${own.key}#${openId}` };
    const statuses = async () => [
      (await send("/v1/files", undefined, pinned)).status,
      (await send("/v1/files/x", undefined, pinned, "DELETE")).status,
      (await send("/v1/batches", "{}", pinned)).status,
      (await send("/v1/models/x", undefined, pinned, "DELETE")).status,
      (await send(paths.chat, JSON.stringify({ model: "cheap", messages: say }), pinned)).status,
    ];
    await rights("view");
    await expect.poll(statuses).toEqual([200, 403, 403, 403, 403]);
    await rights("edit");
    await expect.poll(async () => (await statuses()).slice(0, 4)).toEqual([200, 200, 200, 200]);
  });
});

describe("intake: errors in the dialect of the client", () => {
  const shapes = {
    "/v1/nothing": /"error":\{"message"/,
    "/v1/messages/nothing": /"type":"error"/,
    "/v1/messages/batches": /"type":"error"/,
    "/claude/nothing": /"type":"error"/,
    "/v1beta/nothing": /"status":"NOT_FOUND"/,
    "/gemini/nothing": /"status":"NOT_FOUND"/,
    "/suno/nothing": /"data":null/,
    "/mj/nothing": /"description"/,
    "/v1beta/openai/nothing": /"error":\{"message"/,
    "/v1/interactions/int_1/nothing": /"status":"NOT_FOUND"/,
    "/v1/messages/batches/msgbatch_1/results": /"type":"error"/,
    "/v1/uploads": /"error":\{"message"/,
    "/v1/videos": /"error":\{"message"/,
    "/v1/videos/video_1/content": /"error":\{"message"/,
    "/v1beta/tunedModels": /"status":"NOT_FOUND"/,
    "/v1beta/batches/1": /"status":"NOT_FOUND"/,
    "/v1beta/files": /"status":"NOT_FOUND"/,
    "/v1beta/models/gemini-x:batchGenerateContent": /"status":"NOT_FOUND"/,
    "/v1alpha/models/gemini-x:generateContent": /"status":"NOT_FOUND"/,
    "/upload/v1beta/files": /"status":"NOT_FOUND"/,
  };
  it.each(Object.entries(shapes))("%s: unknown, with a wrong method, malformed", async (path, shape) => {
    expect(await send(path, "{}")).toMatchObject({ status: 404, text: expect.stringMatching(shape) });
    const broken = await head(`GET ${path}%zz HTTP/1.1\r\nhost: x`);
    expect(broken).toMatch(/^HTTP\/1.1 400 /);
    const garbage = await head(
      `GET ${path} HTTP/1.1\r\nhost: x\r\nbad header\r\nauthorization: Bearer ${key}`,
    );
    expect(garbage).toMatch(/^HTTP\/1.1 400 /);
    expect(garbage).not.toContain(key);
  });

  it("addresses of APIs that are not served return 404 with and without a key, for each method", async () => {
    for (const path of Object.keys(shapes))
      for (const method of ["GET", "POST", "DELETE"]) {
        // Only with a key is the name of an action read.
        if (path.includes(":") && (path.includes("v1alpha") || method !== "POST")) continue;
        const body = method === "POST" ? "{}" : undefined;
        const answer = await send(path, body, { authorization: `Bearer ${key}` }, method);
        expect([path, method, answer.status]).toEqual([path, method, 404]);
        if (path.includes(":")) continue;
        const without = await send(path, body, { authorization: "" }, method);
        expect([path, method, without.status]).toEqual([path, method, 404]);
        expect(without.text).not.toContain("<html");
      }
  });

  it("returns 405 and Allow for a known address with another method", async () => {
    const answer = await send(paths.chat, undefined);
    expect([answer.status, answer.headers.get("allow")]).toEqual([405, "POST"]);
    expect((await send(paths.messages, undefined)).text).toContain('"type":"error"');
  });
});

describe("intake: addresses and headers that clients use", () => {
  it.each(["/openai/v1/chat/completions", "/v1beta/openai/chat/completions", "/v1/v1/chat/completions"])(
    "serves %s",
    async (path) => {
      const body = JSON.stringify({ model: "demo-chat", max_tokens: 5, messages: say });
      expect((await send(path, body)).status).toBe(200);
      expect((await send(path, body, { authorization: "", "api-key": key })).status).toBe(200);
    },
  );

  it("accepts a doubled version in Anthropic's path", async () => {
    const body = JSON.stringify({ model: "demo-chat", max_tokens: 5, messages: say });
    expect((await send("/v1/v1/messages", body)).status).toBe(200);
    expect((await send("/openai/v1/models", undefined)).status).toBe(200);
  });
});

describe("the address at which Claude Code checks its host", () => {
  it.each(["/api/hello", "/claude/api/hello"])("%s answers without a key", async (path) => {
    const checked = await fetch(gateway.url + path, { method: "HEAD" });
    expect([checked.status, await checked.text()]).toEqual([200, ""]);
    const response = await fetch(gateway.url + path);
    expect([response.status, await response.json()]).toEqual([200, { message: "hello" }]);
  });
});

describe("addresses without a handler", () => {
  it.each(["/x", "/api/nothing", "/api/user/nothing/x", "/v1/nothing", "/metrics", "/assets/x.js", "/"])(
    "a body sent to %s is not read",
    async (path) => {
      const broken = await fetch(gateway.url + path, {
        method: "POST",
        headers: { "content-type": "application/json", "api-version": "2" },
        body: '{"a":',
      });
      expect(broken.status).toBe(404);
      const { hostname, port } = new URL(gateway.url);
      const sent = request({
        hostname,
        port,
        path,
        method: "POST",
        headers: { "content-type": "application/json", "content-length": 60_000_000, "api-version": "2" },
      });
      sent.on("error", () => {});
      sent.write("[");
      const [answer] = (await once(sent, "response")) as [IncomingMessage];
      expect(answer.statusCode).toBe(404);
      sent.destroy();
    },
  );
});
