import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startTestGateway, type TestGateway } from "#test/gateway.ts";

/** Positions of a key, the suffix of a key, and responses at unknown addresses. */
let gateway: TestGateway;
let key: string;

beforeAll(async () => {
  gateway = await startTestGateway();
  await gateway.addChannel({ type: 900, name: "demo", models: ["gpt-4o", "demo-image"] });
  ({ key } = await gateway.addToken({ unlimited_quota: true }));
});
afterAll(() => gateway.stop());

async function ask(path: string, headers: Record<string, string>, body?: object) {
  const response = await fetch(`${gateway.url}${path}`, {
    method: body === undefined ? "GET" : "POST",
    headers: { "content-type": "application/json", ...headers },
    body: body === undefined ? null : JSON.stringify(body),
  });
  return { status: response.status, headers: response.headers, text: await response.text() };
}

const messages = [{ role: "user", content: "hello" }];
const question = { model: "gpt-4o", max_tokens: 20, messages };

describe("a key", () => {
  it("in its dialect's header takes precedence over an authorization for another service", async () => {
    const elsewhere = { authorization: "Bearer somebody-elses-session-token-0123456789" };
    const contents = { contents: [{ parts: [{ text: "hello" }] }] };
    const gemini = "/v1beta/models/gpt-4o:generateContent";
    const answers = [
      await ask("/v1/messages", { ...elsewhere, "x-api-key": key }, question),
      await ask(gemini, { ...elsewhere, "x-goog-api-key": key }, contents),
      await ask(`${gemini}?key=${key}`, elsewhere, contents),
    ];
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
  });

  it("selects a channel with its suffix, if the channel exists and is enabled", async () => {
    const [channel] = (await gateway.api<{ data: { id: number }[] }>("GET", "/channel")).data;
    const pinned = (pin: string) =>
      ask("/v1/chat/completions", { authorization: `Bearer ${key}${pin}` }, question);
    expect((await pinned(`#${channel?.id}`)).status).toBe(200);
    expect(await pinned("#987")).toMatchObject({
      status: 404,
      text: expect.stringContaining("Channel 987 does not exist or is disabled."),
    });
  });
});

describe("an endpoint's address", () => {
  it("may have extra slashes at its beginning and end", async () => {
    const known = { authorization: `Bearer ${key}` };
    const answers = [
      await ask("//v1/chat/completions", known, question),
      await ask("/v1//messages/", known, question),
      await ask("//v1beta/models/", known),
    ];
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
    // Console routes require their permissions, however their path is written.
    expect((await ask("//api/channel", {})).status).toBe(401);
  });

  it("that does not exist returns an error, not the console's page", async () => {
    const known = {
      "/v1/uploads": 404,
      "/v1/engines": 404,
      "/dashboard/nothing": 404,
      "/recraftAI/v1/styles": 405,
    };
    for (const [path, status] of Object.entries(known)) {
      const answer = await ask(path, { authorization: `Bearer ${key}` });
      expect(answer.status).toBe(status);
      expect(JSON.parse(answer.text)).toMatchObject({
        error: { message: expect.stringContaining(`This gateway does not serve GET ${path}.`) },
      });
    }
  });

  it("of Recraft's clients generates images like OpenAI's", async () => {
    const painted = await ask(
      "/recraftAI/v1/images/generations",
      { authorization: `Bearer ${key}` },
      { model: "demo-image", prompt: "a cat" },
    );
    expect(painted.status).toBe(200);
    expect(JSON.parse(painted.text)).toMatchObject({ data: [expect.anything()] });
  });

  it("returns the request id under both header names that tools read", async () => {
    const { headers } = await ask("/v1/models", { authorization: `Bearer ${key}` });
    expect(headers.get("x-request-id")).not.toBeNull();
    expect(headers.get("x-oneapi-request-id")).toBe(headers.get("x-request-id"));
  });
});
