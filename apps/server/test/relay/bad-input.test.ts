import { connect } from "node:net";
import type { Self } from "@gateway/shared/accounts/session";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startTestGateway, type TestGateway } from "#test/gateway.ts";
import { nightly } from "#test/nightly.ts";

/** Client errors in each dialect: a clear message, the right status, and nothing reserved or charged. */
let gateway: TestGateway;
let key: string;

beforeAll(async () => {
  gateway = await startTestGateway();
  await gateway.addChannel({ type: 900, name: "demo" });
  key = (await gateway.addToken()).key;
});
afterAll(() => gateway.stop());

interface Refusal {
  status: number;
  message: string;
  body: Record<string, unknown>;
  id: string | null;
}

const say = { role: "user", content: "Hello" };
const endpoints = {
  "openai-chat": { path: "/v1/chat/completions", body: { model: "demo-chat", messages: [say] } },
  "openai-responses": { path: "/v1/responses", body: { model: "demo-chat", input: "Hello" } },
  anthropic: { path: "/v1/messages", body: { model: "demo-chat", max_tokens: 50, messages: [say] } },
  gemini: {
    path: "/v1beta/models/demo-chat:generateContent",
    body: { contents: [{ role: "user", parts: [{ text: "Hello" }] }] },
  },
  interactions: { path: "/v1beta/interactions", body: { model: "demo-chat", input: "Hello" } },
} as const;
type Endpoint = keyof typeof endpoints;
const names = Object.keys(endpoints) as Endpoint[];

async function post(path: string, body: unknown, headers: Record<string, string> = {}): Promise<Refusal> {
  const response = await fetch(gateway.url + path, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json", ...headers },
    body: typeof body === "string" ? body : JSON.stringify(body),
  });
  const answer = (await response.json()) as Record<string, unknown>;
  const error = (answer["error"] ?? {}) as { message?: string };
  return {
    status: response.status,
    message: error.message ?? "",
    body: answer,
    id: response.headers.get("x-request-id"),
  };
}

/** Sends these bytes and returns the response. The server may close the connection before all are sent. */
async function rawAnswer(head: string, pieces: readonly string[]): Promise<Refusal> {
  const socket = connect(Number(new URL(gateway.url).port), "127.0.0.1");
  let received = "";
  socket.on("error", () => {});
  socket.on("data", (bytes) => (received += bytes.toString()));
  socket.write(head);
  for (const piece of pieces) {
    if (received !== "" || socket.destroyed) break;
    if (!socket.write(piece))
      await new Promise<void>((resolve) => {
        socket.once("drain", resolve);
        socket.once("close", () => resolve());
        socket.once("data", () => resolve());
      });
  }
  await expect.poll(() => /\r\n\r\n.*\}/s.test(received)).toBe(true);
  socket.destroy();
  const answer = JSON.parse(received.slice(received.indexOf("\r\n\r\n"))) as Record<string, unknown>;
  const error = (answer["error"] ?? {}) as { message?: string };
  return {
    status: Number(received.split(" ")[1]),
    message: error.message ?? "",
    body: answer,
    id: /x-request-id: (\S+)/i.exec(received)?.[1] ?? null,
  };
}

/** Expects the error shape of the dialect. */
function expectShape(endpoint: Endpoint, refusal: Refusal): void {
  const error = refusal.body["error"];
  if (endpoint === "anthropic") {
    expect(refusal.body["type"]).toBe("error");
    expect(error).toMatchObject({ type: expect.any(String), message: expect.any(String) });
  } else if (endpoint === "gemini" || endpoint === "interactions") {
    expect(error).toMatchObject({ code: refusal.status, status: expect.any(String) });
  } else {
    expect(error).toMatchObject({ message: expect.any(String), type: expect.any(String) });
  }
  expect(refusal.message.length).toBeGreaterThan(10);
  expect(refusal.id).toBeTruthy();
}

describe.each(names)("the endpoint of %s", (endpoint) => {
  const { path, body } = endpoints[endpoint];

  it("serves a valid request", async () => {
    expect((await post(path, body)).status).toBe(200);
  });

  it("rejects invalid JSON", async () => {
    const refusal = await post(path, '{"model": ');
    expect(refusal.status).toBe(400);
    expectShape(endpoint, refusal);
    expect(refusal.message).toContain("JSON");
  });

  it("rejects a body that is not an object", async () => {
    const refusal = await post(path, "[1, 2]");
    expect(refusal.status).toBe(400);
    expectShape(endpoint, refusal);
  });

  it(
    "rejects a too large body by its announced length, or when it exceeds the limit",
    nightly(path !== "/v1/chat/completions"),
    async () => {
      const head = (length: string) =>
        `POST ${path} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${key}\r\n` +
        `content-type: application/json\r\n${length}\r\n\r\n`;
      const announced = await rawAnswer(head("content-length: 70000000"), []);
      expectShape(endpoint, announced);
      expect(announced.status).toBe(413);
      const piece = `100000\r\n${" ".repeat(0x10_00_00)}\r\n`;
      const chunked = await rawAnswer(
        head("transfer-encoding: chunked"),
        Array.from({ length: 66 }, () => piece),
      );
      expectShape(endpoint, chunked);
      expect(chunked.status).toBe(413);
    },
  );

  it("rejects a body that is longer than announced, and continues to serve", async () => {
    const text = JSON.stringify(body);
    const head = (length: number) =>
      `POST ${path} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${key}\r\n` +
      `content-type: application/json\r\ncontent-length: ${length}\r\n\r\n${text}`;
    const cut = await rawAnswer(head(text.length - 3), []);
    // The rest looks like another request, which is invalid. Either error may be returned first.
    expect(cut.status).toBe(400);
    expect((await post(path, body)).status).toBe(200);
  });

  it("rejects an empty prompt and names the field", async () => {
    const refusal = await post(path, { model: "demo-chat", max_tokens: 10 });
    expect(refusal.status).toBe(400);
    expectShape(endpoint, refusal);
    expect(refusal.message).toMatch(/messages|input|contents/);
  });

  it("rejects a missing and a wrong key", async () => {
    for (const authorization of ["", "Bearer sk-000000000000000000000000000000000000000000000000"]) {
      const refusal = await post(path, body, { authorization });
      expect(refusal.status).toBe(401);
      expectShape(endpoint, refusal);
    }
  });

  it("rejects a model that no channel serves", async () => {
    const refusal = await post(
      path.replace("demo-chat", "no-such-model"),
      endpoint === "gemini" ? body : { ...body, model: "no-such-model" },
    );
    expect(refusal.status).toBe(404);
    expectShape(endpoint, refusal);
    expect(refusal.message).toContain("no-such-model");
  });

  it("rejects disabled, expired and exhausted keys, each with its own message", async () => {
    const disabled = await gateway.addToken();
    await gateway.api("PATCH", `/token/${disabled.id}`, { status: 2 });
    const expired = await gateway.addToken();
    // The key is unused so far, so no node has cached it.
    const expired_time = new Date(Date.now() - 1_000);
    await gateway.database.db.token.update({ where: { id: expired.id }, data: { expired_time } });
    const exhausted = await gateway.addToken({ unlimited_quota: false, remain_quota: 0 });
    const answers = [];
    for (const token of [disabled, expired, exhausted]) {
      const refusal = await post(path, body, { authorization: `Bearer ${token.key}` });
      expectShape(endpoint, refusal);
      answers.push([refusal.status, /disabled|expired|quota/.exec(refusal.message)?.[0]]);
    }
    expect(answers).toEqual([
      [401, "disabled"],
      [401, "expired"],
      [402, "quota"],
    ]);
  });
});

describe("an account without balance", () => {
  it("is rejected with 402, and nothing is reserved", async () => {
    const self = await gateway.api<Self>("GET", "/user/self");
    await gateway.api("POST", `/user/quota/${self.id}`, { quota: -self.quota, remark: "test" });
    for (const endpoint of names) {
      const refusal = await post(endpoints[endpoint].path, endpoints[endpoint].body);
      expect(refusal.status).toBe(402);
      expectShape(endpoint, refusal);
    }
    const after = await gateway.api<Self>("GET", "/user/self");
    expect([after.quota, after.reserved]).toEqual([0, 0]);
    expect(await gateway.drift()).toBe(0n);
  });
});

describe("a model name", () => {
  it("cannot change the address at the provider", async () => {
    await gateway.addChannel({ type: 25, name: "gemini", models: ["gemini-*"] });
    const before = gateway.upstream.calls().length;
    for (const model of ["gemini-x/../../v1/files", "gemini-x?key=1", "gemini-x#y"]) {
      const refusal = await post("/v1/chat/completions", { model, messages: [say] });
      expect(refusal.status).toBe(404);
    }
    expect(gateway.upstream.calls()).toHaveLength(before);
  });
});

describe("unknown addresses", () => {
  it("return errors in the dialect of their clients, not the console's page", async () => {
    const refusal = await post("/v1/nothing-here", {});
    expect(refusal.status).toBe(404);
    expectShape("openai-chat", refusal);
    const api = await fetch(`${gateway.url}/api/nothing-here`);
    expect(api.status).toBe(404);
    expect(await api.json()).toMatchObject({ success: false });
  });
});
