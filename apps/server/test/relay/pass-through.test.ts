import { once } from "node:events";
import { createServer, type IncomingHttpHeaders, request, type ServerResponse } from "node:http";
import { gzipSync } from "node:zlib";
import OpenAI, { toFile } from "openai";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { startTestGateway, type TestGateway } from "#test/gateway.ts";
import { linesOf } from "#test/log-lines.ts";

/** Objects that one provider stores for its account, through the channel that an administrator selects. */
let gateway: TestGateway;
let key: string;
let demoId: number;
let openId: number;

/** A provider whose behavior each test defines. */
type Serve = (
  call: { method: string; url: string; headers: IncomingHttpHeaders; body: AsyncIterable<Buffer> },
  response: ServerResponse,
) => void | Promise<void>;
let serve: Serve;
const upstream = createServer((incoming, response) => {
  incoming.on("error", () => {});
  const { method = "", url = "", headers } = incoming;
  void serve({ method, url, headers, body: incoming.iterator({ destroyOnReturn: false }) }, response);
});

beforeAll(async () => {
  gateway = await startTestGateway();
  upstream.listen(0, "127.0.0.1");
  await once(upstream, "listening");
  demoId = (await gateway.addChannel({ type: 1, name: "demo" })).id;
  const open = await gateway.addChannel({
    type: 1,
    name: "open",
    base_url: providerUrl(),
    models: ["other"],
  });
  openId = open.id;
  ({ key } = await gateway.addToken({ unlimited_quota: true }));
});
afterAll(async () => {
  upstream.closeAllConnections();
  upstream.close();
  await gateway.stop();
});

/** Reads the body and returns its length in bytes. */
async function lengthOf(body: AsyncIterable<Buffer>): Promise<number> {
  let length = 0;
  for await (const chunk of body) length += chunk.length;
  return length;
}

const empty: Serve = async ({ body }, response) => {
  await lengthOf(body);
  response.writeHead(200, { "content-type": "application/json" }).end("{}");
};
beforeEach(() => {
  serve = empty;
});
afterEach(async () => {
  expect(await gateway.drift()).toBe(0n);
});

function providerUrl(): string {
  return `http://127.0.0.1:${(upstream.address() as { port: number }).port}`;
}

function ask(
  path: string,
  init: Omit<RequestInit, "headers"> = {},
  pinned = `${key}#${openId}`,
): Promise<Response> {
  return fetch(gateway.url + path, {
    ...init,
    headers: { authorization: `Bearer ${pinned}` },
  });
}

async function sentence(answer: Response): Promise<string> {
  return ((await answer.json()) as { error: { message: string } }).error.message;
}

describe("files and batches of an account", () => {
  it("are created, listed, read and deleted with OpenAI's client", async () => {
    const openai = gateway.openai(`${key}#${demoId}`);
    const bytes = Buffer.from('{"custom_id":"1","body":{"say":"\u00e9\u4e2d"}}\n'.repeat(5_000));
    const file = await openai.files.create({ purpose: "batch", file: await toFile(bytes, "asked.jsonl") });
    expect(file).toMatchObject({ bytes: bytes.length, filename: "asked.jsonl", purpose: "batch" });
    await openai.files.create({ purpose: "evals", file: await toFile(Buffer.from("x"), "other.txt") });
    const listed = await openai.files.list({ purpose: "batch", limit: 1 });
    expect(listed.data.map(({ id }) => id)).toEqual([file.id]);
    expect(await openai.files.retrieve(file.id)).toEqual(file);
    const content = await openai.files.content(file.id);
    expect(bytes.equals(Buffer.from(await content.arrayBuffer()))).toBe(true);
    const batch = await openai.batches.create({
      input_file_id: file.id,
      endpoint: "/v1/chat/completions",
      completion_window: "24h",
    });
    expect(await openai.batches.retrieve(batch.id)).toMatchObject({ id: batch.id, status: "validating" });
    expect(await openai.batches.cancel(batch.id)).toMatchObject({ status: "cancelling" });
    expect((await openai.vectorStores.list({ limit: 3 })).data).toEqual([]);
    expect(await openai.files.delete(file.id)).toMatchObject({ deleted: true });
    await expect(openai.files.retrieve(file.id)).rejects.toMatchObject({ status: 404 });
    expect(await openai.models.delete("ft:gpt-4o-mini:ours")).toMatchObject({ deleted: true });
  });

  it("work with the demo provider, too", async () => {
    const demo = await gateway.addChannel({ type: 900, name: "built in", models: ["demo-chat-mini"] });
    const listed = await gateway.openai(`${key}#${demo.id}`).vectorStores.list();
    expect(listed.data).toEqual([]);
  });

  it("cost nothing and create one log row with the address, the channel and the duration", async () => {
    serve = async (_call, response) => {
      await new Promise((resolve) => setTimeout(resolve, 30));
      response.writeHead(201, { "content-type": "application/json" }).end("{}");
    };
    const answer = await ask("/v1/files/file-1?expand=all");
    expect(answer.status).toBe(201);
    await answer.text();
    const [line, ...more] = await linesOf(gateway, answer);
    expect(more).toEqual([]);
    expect(line).toMatchObject({
      type: 2,
      outcome: "complete",
      status: 201,
      quota: 0,
      content: "relay:/v1/files/file-1",
      content_facts: [{ code: "passedOn", params: { path: "/v1/files/file-1" } }],
      endpoint: "/v1/files",
      channel_id: openId,
      model_name: "",
      bill: null,
    });
    expect(line?.request_time).toBeGreaterThanOrEqual(25);
  });
});

describe("access to stored objects", () => {
  it("without a selected channel is rejected with instructions", async () => {
    for (const bare of [key, `${key}#!${demoId}`]) {
      const answer = await ask("/v1/files", {}, bare);
      expect(answer.status).toBe(403);
      expect(await sentence(answer)).toContain("sk-…#12");
    }
  });

  it("is allowed to administrators only", async () => {
    const { id } = await gateway.api<{ id: number }>("POST", "/user", {
      username: "guest",
      password: "a long password",
    });
    const own = await gateway.addToken({ name: "of a guest" });
    await gateway.database.db.token.update({ where: { id: own.id }, data: { user_id: id } });
    const answer = await ask("/v1/files", {}, `${own.key}#${openId}`);
    expect(answer.status).toBe(403);
    expect(await sentence(answer)).toContain("Only administrators may choose a channel.");
  });

  it("can select the channel for these endpoints only, with normal routing of other calls", async () => {
    const pinned = `${key}#${openId}#ignore`;
    expect((await ask("/v1/batches", {}, pinned)).status).toBe(200);
    const output = await gateway.openai(pinned).chat.completions.create({
      model: "demo-chat",
      messages: [{ role: "user", content: "hello" }],
    });
    expect(output.choices).toHaveLength(1);
  });

  it("reports a channel that does not support it, is disabled or does not exist", async () => {
    const claude = await gateway.addChannel({ type: 14, name: "claude", models: ["c"] });
    const refused = await ask("/v1/files", {}, `${key}#${claude.id}`);
    expect(refused.status).toBe(400);
    expect(await sentence(refused)).toMatch(/Anthropic.*has no files/);
    const off = await gateway.addChannel({ type: 1, name: "off", models: ["c"] });
    await gateway.api("PATCH", `/channel/${off.id}`, { status: 2 });
    for (const id of [off.id, 98_765]) {
      const answer = await ask("/v1/files", {}, `${key}#${id}`);
      expect(answer.status).toBe(404);
      expect(await sentence(answer)).toContain("does not exist or is disabled");
      expect(await linesOf(gateway, answer)).toMatchObject([
        { type: 5, status: 404, error_code: "not_found", quota: 0 },
      ]);
    }
  });

  it("applies the limits of the token", async () => {
    const limits = { requests_per_minute: 1, tokens_per_minute: 0 };
    const slow = await gateway.addToken({ unlimited_quota: true, setting: { rates: limits } });
    expect((await ask("/v1/files", {}, `${slow.key}#${openId}`)).status).toBe(200);
    const second = await ask("/v1/files", {}, `${slow.key}#${openId}`);
    expect(second.status).toBe(429);
    expect(Number(second.headers.get("retry-after"))).toBeGreaterThan(0);
    const narrow = await gateway.addToken({
      unlimited_quota: true,
      setting: { limits: { limit_model_setting: { enabled: true, models: ["mine"] } } },
    });
    const kept = await ask("/v1/models/theirs", { method: "DELETE" }, `${narrow.key}#${openId}`);
    expect(kept.status).toBe(403);
    const own = await ask("/v1/models/mine", { method: "DELETE" }, `${narrow.key}#${openId}`);
    expect(own.status).toBe(200);
  });
});

describe("the request to the provider", () => {
  it("contains the channel's credential and the client's content headers, and no other headers of the gateway", async () => {
    let received: { url: string; headers: IncomingHttpHeaders } | undefined;
    serve = (call, response) => {
      received = { url: call.url, headers: call.headers };
      response.writeHead(200, {
        "content-type": "application/json",
        "set-cookie": "session=1",
        "access-control-allow-origin": "https://provider.example",
        "x-request-id": "req_provider",
        "openai-version": "2020-10-01",
        connection: "keep-alive, x-hop",
        "x-hop": "here",
      });
      response.end("{}");
    };
    const answer = await fetch(`${gateway.url}/v1/files?limit=2&key=anything&after=a%2Fb`, {
      headers: {
        authorization: `Bearer ${key}#${openId}`,
        cookie: "session=ours",
        "x-forwarded-for": "203.0.113.9",
        "x-real-ip": "203.0.113.9",
        "openai-beta": "assistants=v2",
        accept: "application/json",
        "x-custom": "no",
      },
    });
    expect(answer.status).toBe(200);
    expect(received?.url).toBe("/v1/files?limit=2&after=a%2Fb");
    expect(received?.headers).toMatchObject({
      authorization: "Bearer provider-key",
      "openai-beta": "assistants=v2",
      accept: "application/json",
    });
    const sent = JSON.stringify(received);
    for (const ours of [key.slice(3), "session=ours", "203.0.113.9", "x-custom"])
      expect(sent).not.toContain(ours);
    expect(answer.headers.get("openai-version")).toBe("2020-10-01");
    expect(answer.headers.get("x-upstream-request-id")).toBe("req_provider");
    expect(answer.headers.get("x-request-id")).not.toBe("req_provider");
    expect(answer.headers.get("access-control-allow-origin")).toBe("*");
    expect(answer.headers.get("content-security-policy")).toMatch(/^sandbox/);
    for (const name of ["set-cookie", "x-hop"]) expect(answer.headers.get(name)).toBeNull();
    const shown = [[...answer.headers], await answer.text(), await linesOf(gateway, answer)];
    expect(JSON.stringify(shown)).not.toContain("provider-key");
  });

  it("has the same headers when the response has no body", async () => {
    let requested = "";
    serve = ({ method, url }, response) => {
      requested = `${method} ${url}`;
      response.writeHead(200, { "content-length": "5", etag: '"of-five"' }).end();
    };
    const answer = await ask("/v1/files/f/content", { method: "HEAD" });
    expect(requested).toBe("HEAD /v1/files/f/content");
    expect(answer.headers.get("content-length")).toBe("5");
    expect(answer.headers.get("etag")).toBe('"of-five"');
    expect(await linesOf(gateway, answer)).toMatchObject([{ type: 2, status: 200 }]);
  });

  it("is compressed as the client accepts it and the provider sends it", async () => {
    let taken: unknown;
    const body = gzipSync("stored by the provider");
    serve = ({ headers }, response) => {
      taken = headers["accept-encoding"];
      response.writeHead(200, { "content-encoding": "gzip", "content-length": body.length }).end(body);
    };
    const answer = await ask("/v1/files/f/content");
    expect(taken).toContain("gzip");
    expect(answer.headers.get("content-encoding")).toBe("gzip");
    expect(answer.headers.get("content-length")).toBe(String(body.length));
    expect(await answer.text()).toBe("stored by the provider");
  });

  it("uses Azure's own format at Azure", async () => {
    const urls: string[] = [];
    serve = (call, response) => {
      urls.push(`${call.method} ${call.url} ${String(call.headers["api-key"])}`);
      response.end("{}");
    };
    const classic = { base_url: providerUrl(), models: ["m"], other: "2025-04-01-preview" };
    const azure = await gateway.addChannel({ type: 3, name: "azure", ...classic });
    const v1 = await gateway.addChannel({ type: 55, name: "azure v1", ...classic, other: "preview" });
    await ask("/v1/files?purpose=batch", {}, `${key}#${azure.id}`);
    await ask("/v1/batches/b-1/cancel", { method: "POST" }, `${key}#${azure.id}`);
    await ask("/v1/files?purpose=batch", {}, `${key}#${v1.id}`);
    expect(urls).toEqual([
      "GET /openai/files?purpose=batch&api-version=2025-04-01-preview provider-key",
      "POST /openai/batches/b-1/cancel?api-version=2025-04-01-preview provider-key",
      "GET /openai/v1/files?purpose=batch&api-version=preview provider-key",
    ]);
  });

  it.each([
    "/v1/files/../chat/completions",
    "/v1/files/%2e%2e/chat/completions",
    "/v1/files/.%2E/x",
    "/v1/files/..%2fchat%2fcompletions",
    "/v1/files/..\\chat",
    "/v1/files//x",
    "/v1/files/%3fx",
  ])("cannot reach another address through %s", async (path) => {
    let requested = 0;
    serve = (_call, response) => {
      requested += 1;
      response.end("{}");
    };
    const { hostname, port } = new URL(gateway.url);
    const headers = { authorization: `Bearer ${key}#${openId}` };
    const sending = request({ hostname, port, path, method: "GET", headers }).end();
    const [answer] = (await once(sending, "response")) as [{ statusCode: number; resume(): void }];
    answer.resume();
    expect(answer.statusCode).toBe(404);
    expect(requested).toBe(0);
  });

  it("streams the body as it is sent, and the response as it arrives", async () => {
    const received: string[] = [];
    serve = async ({ body }, response) => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      for await (const chunk of body) {
        received.push(String(chunk));
        response.write(`data: ${String(chunk)}\n\n`);
      }
      response.end();
    };
    const { hostname, port } = new URL(gateway.url);
    const headers = { authorization: `Bearer ${key}#${openId}`, "content-type": "application/x-anything" };
    const sending = request({ hostname, port, path: "/v1/threads/t/runs", method: "POST", headers });
    sending.write("one");
    const [answer] = (await once(sending, "response")) as [AsyncIterable<Buffer>];
    const pieces = answer[Symbol.asyncIterator]();
    // Each half of the exchange waits for the other, so nothing may be buffered on the way.
    expect(String((await pieces.next()).value)).toBe("data: one\n\n");
    sending.write("two");
    expect(String((await pieces.next()).value)).toBe("data: two\n\n");
    sending.end();
    expect((await pieces.next()).done).toBe(true);
    expect(received).toEqual(["one", "two"]);
    const lines = async () => (await gateway.logs()).map(({ content }) => content);
    await expect.poll(lines).toContain("relay:/v1/threads/t/runs");
  });
});

describe("a failed request", () => {
  it("returns the provider's message, and is logged as failed", async () => {
    const answer = await ask("/v1/files/file-none", {}, `${key}#${demoId}`);
    expect(answer.status).toBe(404);
    expect(await answer.json()).toMatchObject({ error: { type: "invalid_request_error" } });
    expect(await linesOf(gateway, answer)).toMatchObject([
      {
        type: 5,
        outcome: "failed",
        status: 404,
        error_code: "upstream_refused",
        content: expect.any(String),
      },
    ]);
  });

  it("does not disable a channel whose key merely lacks this permission", async () => {
    serve = (_call, response) => {
      response.writeHead(401, { "content-type": "application/json" });
      response.end('{"error":{"message":"Missing scopes: api.files.read","code":"invalid_api_key"}}');
    };
    for (let count = 0; count < 5; count += 1) {
      const answer = await ask("/v1/files");
      expect(answer.status).toBe(401);
      expect(await linesOf(gateway, answer)).toMatchObject([
        { type: 5, status: 401, error_code: "upstream_failed", channel_id: openId },
      ]);
    }
    serve = empty;
    expect((await ask("/v1/files")).status).toBe(200);
    const channel = await gateway.api<{ status: number }>("GET", `/channel/${openId}`);
    expect(channel.status).toBe(1);
  });

  it("returns the gateway's error when the provider cannot be reached", async () => {
    serve = (_call, response) => void response.destroy();
    const answer = await ask("/v1/files");
    expect(answer.status).toBe(502);
    expect(await linesOf(gateway, answer)).toMatchObject([
      { type: 5, status: 502, error_code: "upstream_failed" },
    ]);
  });

  it("ends as broken when the provider breaks off", async () => {
    const begun = Promise.withResolvers<void>();
    serve = async (_call, response) => {
      response.writeHead(200, { "content-length": "100" }).write("half");
      await begun.promise;
      response.destroy();
    };
    const answer = await ask("/v1/files/f/content");
    begun.resolve();
    await expect(answer.text()).rejects.toThrow();
    expect(await linesOf(gateway, answer)).toMatchObject([
      { type: 2, outcome: "upstream-died", status: 502 },
    ]);
  });

  it("keeps the connection when the provider responds before it has read everything", async () => {
    serve = (_call, response) => {
      response.writeHead(413, { "content-type": "application/json" }).end('{"error":{"message":"large"}}');
    };
    const answer = await ask("/v1/files", { method: "POST", body: Buffer.alloc(8 * 1024 * 1024) });
    expect(answer.status).toBe(413);
    expect(await answer.json()).toMatchObject({ error: { message: "large" } });
    expect(await linesOf(gateway, answer)).toMatchObject([{ type: 5, status: 413 }]);
  });

  it("is aborted at the provider when the client disconnects, during the request or the response", async () => {
    let left = 0;
    serve = (_call, response) => {
      response.on("close", () => (left += 1));
      response.writeHead(200, { "content-type": "application/octet-stream" }).write("begun");
    };
    const leaving = new AbortController();
    const answer = await ask("/v1/files/f/content", { signal: leaving.signal });
    expect(answer.status).toBe(200);
    leaving.abort();
    await expect.poll(() => left).toBe(1);
    expect(await linesOf(gateway, answer)).toMatchObject([{ type: 2, outcome: "client-left", status: 499 }]);

    let begun = false;
    serve = async ({ body }, response) => {
      response.on("close", () => (left += 1));
      try {
        for await (const chunk of body) begun = chunk.length > 0;
      } catch {
        // The upload was never whole.
      }
    };
    const { hostname, port } = new URL(gateway.url);
    const headers = { authorization: `Bearer ${key}#${openId}`, "content-length": "1000000" };
    const sending = request({ hostname, port, path: "/v1/files", method: "POST", headers });
    sending.on("error", () => {});
    sending.write("half");
    await expect.poll(() => begun).toBe(true);
    sending.destroy();
    await expect.poll(() => left).toBe(2);
    const cut = async () => (await gateway.logs()).filter(({ type, status }) => type === 5 && status === 499);
    await expect.poll(async () => (await cut()).length).toBe(1);
  });
});

describe("an OpenAI client of an account", () => {
  it("can upload files with a key in its address", async () => {
    const openai = new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey: `${key}#${openId}`, maxRetries: 0 });
    let length = 0;
    serve = async ({ body, headers }, response) => {
      length = await lengthOf(body);
      expect(headers["content-type"]).toMatch(/^multipart\/form-data; boundary=/);
      response.writeHead(200, { "content-type": "application/json" }).end('{"id":"file-1"}');
    };
    const file = await toFile(Buffer.alloc(2 * 1024 * 1024), "large.bin");
    expect(await openai.files.create({ purpose: "assistants", file })).toMatchObject({ id: "file-1" });
    expect(length).toBeGreaterThan(2 * 1024 * 1024);
  });
});
