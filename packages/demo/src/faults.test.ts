import { connect } from "node:net";
import OpenAI from "openai";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { type DemoUpstream, startDemoUpstream } from "./server.ts";

let upstream: DemoUpstream;
beforeAll(async () => {
  upstream = await startDemoUpstream();
});
afterEach(() => upstream.control.reset());
afterAll(() => upstream.close());

interface Raw {
  text: string;
  /** The connection ended before the response was complete. */
  broken: boolean;
}

/** Sends raw HTTP and reads until the server closes or the response is complete. */
function raw(message: string, options: { stream?: boolean; key?: string; path?: string } = {}): Promise<Raw> {
  const { port } = new URL(upstream.url);
  const body = JSON.stringify({
    model: "demo-chat",
    max_tokens: 1000,
    stream: options.stream === true,
    messages: [{ role: "user", content: message }],
  });
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), "127.0.0.1");
    let text = "";
    const whole = () =>
      /content-length: (\d+)/i.test(text)
        ? Buffer.byteLength(text.split("\r\n\r\n").slice(1).join("\r\n\r\n")) >=
          Number(/content-length: (\d+)/i.exec(text)![1])
        : text.endsWith("\r\n0\r\n\r\n");
    socket.setEncoding("utf8");
    socket.on("data", (data: string) => {
      text += data;
      if (whole()) socket.end();
    });
    socket.on("error", reject);
    socket.on("close", () => resolve({ text, broken: !whole() }));
    socket.write(
      `POST ${options.path ?? "/v1/chat/completions"} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${options.key ?? "demo"}\r\n` +
        `Content-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
    );
  });
}

const deltas = (text: string) => text.match(/"delta":\{"content":"[^"]+/g)?.length ?? 0;

describe("cuts", () => {
  it("closes before, after the headers, and after a number of pieces", async () => {
    expect(await raw("[[cut]]")).toEqual({ text: "", broken: true });
    const headers = await raw("[[cut=headers]]", { stream: true });
    expect(headers.text).toMatch(/^HTTP\/1.1 200 OK/);
    expect(headers.text).not.toContain("data:");
    expect(headers.broken).toBe(true);
    const three = await raw("[[cut=after:3]] [[length=20]]", { stream: true });
    expect(deltas(three.text)).toBe(3);
    expect(three.broken).toBe(true);
  });

  it("breaks a plain response in its middle", async () => {
    const half = await raw("[[cut=after:1]]");
    expect(half.text).toContain('"chat.completion"');
    expect(half.broken).toBe(true);
  });

  it("sends no end of the response when it has fewer pieces", async () => {
    const { text } = await raw("[[cut=after:99]] [[length=4]]", { stream: true });
    expect(deltas(text)).toBe(4);
    expect(text).not.toContain('"finish_reason":"stop"');
  });
});

describe("faults inside a response", () => {
  it("puts the provider's own error into a stream", async () => {
    const chat = await raw("[[error-mid-stream=2]]", { stream: true });
    expect(chat.broken).toBe(false);
    expect(deltas(chat.text)).toBe(2);
    expect(chat.text).toContain('data: {"error":{');
    const messages = await raw("[[error-mid-stream]]", { stream: true, path: "/v1/messages" });
    expect(messages.text).toContain("event: error");
    expect(messages.text).toContain("overloaded_error");
  });

  it("sends an unparsable response", async () => {
    expect((await raw("[[garbage]]")).text).toContain("<h1>502 Bad Gateway</h1>");
    expect((await raw("[[garbage]]", { stream: true })).text).toContain('{"id": "oops", "choi\n');
  });

  it("sends an empty response, with or without usage", async () => {
    const empty = JSON.parse((await raw("[[empty]]")).text.split("\r\n\r\n")[1]!) as OpenAI.ChatCompletion;
    expect(empty.choices[0]!.message.content).toBe("");
    expect(empty.usage!.completion_tokens).toBe(0);
    expect((await raw("[[empty]] [[no-usage]]")).text).not.toContain("usage");
  });
});

describe("one broken channel among others", () => {
  it("fails because of its key alone, in the format of the dialect", async () => {
    expect((await raw("hi", { key: "demo-fail-500" })).text).toMatch(/^HTTP\/1.1 500/);
    expect((await raw("hi", { key: "demo-fail-401" })).text).toContain("invalid_api_key");
    expect((await raw("hi", { key: "demo-no-credit" })).text).toContain("insufficient_quota");
    expect((await raw("hi", { key: "demo-cut" })).broken).toBe(true);
    expect((await raw("hi")).text).toMatch(/^HTTP\/1.1 200/);
  });

  it("is slow because of its key alone", async () => {
    const start = performance.now();
    await raw("hi", { key: "demo-slow-120" });
    expect(performance.now() - start).toBeGreaterThan(115);
  });

  it("follows rules set in the process, for given calls and a number of times", async () => {
    upstream.control.set({ status: 503, retryAfter: 2, times: 1, only: { key: "a" } });
    expect((await raw("hi", { key: "b" })).text).toMatch(/^HTTP\/1.1 200/);
    const refused = await raw("hi", { key: "a" });
    expect(refused.text).toMatch(/^HTTP\/1.1 503/);
    expect(refused.text).toContain("retry-after: 2");
    expect((await raw("hi", { key: "a" })).text).toMatch(/^HTTP\/1.1 200/);
  });
});

describe("the log of calls", () => {
  it("stores requests as they were sent", async () => {
    await raw("remember me", { key: "my-key" });
    const [call] = upstream.calls();
    expect(call).toMatchObject({
      method: "POST",
      path: "/v1/chat/completions",
      key: "my-key",
      status: 200,
      aborted: false,
      body: { messages: [{ role: "user", content: "remember me" }] },
    });
  });

  it("records that a caller left a stream, and does not count a cut as leaving", async () => {
    const openai = new OpenAI({ baseURL: `${upstream.url}/v1`, apiKey: "demo", maxRetries: 0 });
    const stream = await openai.chat.completions.create({
      model: "demo-chat",
      stream: true,
      messages: [{ role: "user", content: "[[length=500]] [[chunk-delay=5]]" }],
    });
    for await (const chunk of stream) if (chunk.choices[0]?.delta.content) break;
    await expect.poll(() => upstream.calls()[0]!.aborted).toBe(true);
    upstream.control.reset();
    await raw("[[cut=after:2]]", { stream: true });
    await expect.poll(() => upstream.calls()[0]!.endedAt).toBeDefined();
    expect(upstream.calls()[0]!.aborted).toBe(false);
  });

  it("detects that a caller who waits for a silent provider has left", async () => {
    const controller = new AbortController();
    const body = JSON.stringify({ model: "demo-chat", messages: [{ role: "user", content: "[[hang]]" }] });
    const waiting = fetch(`${upstream.url}/v1/chat/completions`, {
      method: "POST",
      body,
      signal: controller.signal,
    });
    await expect.poll(() => upstream.calls().length).toBe(1);
    controller.abort();
    await expect(waiting).rejects.toThrow();
    await expect.poll(() => upstream.calls()[0]!.aborted).toBe(true);
  });
});

it("rejects invalid JSON and unknown addresses in the dialect of the address", async () => {
  const post = (path: string, body: string) => fetch(upstream.url + path, { method: "POST", body });
  const bad = await post("/v1/messages", "{");
  expect(bad.status).toBe(400);
  expect(await bad.json()).toMatchObject({ type: "error", error: { type: "invalid_request_error" } });
  const unknown = await post("/v1beta/models/demo-chat:sing", "{}");
  expect(unknown.status).toBe(404);
  expect(await unknown.json()).toMatchObject({ error: { status: "NOT_FOUND" } });
});
