import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { startTestGateway, type TestGateway } from "#test/gateway.ts";

/**
 * Requests without an output limit. The longest response of the model is reserved; where the balance or a budget
 * does not cover it, what is reserved is the limit that the provider receives.
 */
let gateway: TestGateway;
let provider: Server;
let key: string;
let root: number;
/** Bodies that the provider received. */
let got: Record<string, unknown>[] = [];
/** Resolves when the provider may answer. */
let gate = Promise.resolve();

/** The longest response of a model that is not in the product's list. */
const LONGEST = 131_072;
const LONG = LONGEST / 4;
const USUAL = 4_096;
/** More than the input of these requests costs. */
const INPUT = 100;

const answers: Record<string, object> = {
  "/chat/completions": {
    id: "c",
    object: "chat.completion",
    model: "m",
    choices: [{ index: 0, finish_reason: "stop", message: { role: "assistant", content: "Hi" } }],
    usage: { prompt_tokens: 5, completion_tokens: 5, total_tokens: 10 },
  },
  "/responses": {
    id: "resp_1",
    object: "response",
    status: "completed",
    model: "m",
    output: [
      {
        type: "message",
        id: "m",
        role: "assistant",
        status: "completed",
        content: [{ type: "output_text", text: "Hi", annotations: [] }],
      },
    ],
    usage: { input_tokens: 5, output_tokens: 5, total_tokens: 10 },
  },
  "/v1beta/": {
    candidates: [{ content: { role: "model", parts: [{ text: "Hi" }] }, finishReason: "STOP" }],
    usageMetadata: { promptTokenCount: 5, candidatesTokenCount: 5 },
  },
  "/messages": {
    id: "m",
    type: "message",
    role: "assistant",
    model: "m",
    content: [{ type: "text", text: "Hi" }],
    stop_reason: "end_turn",
    usage: { input_tokens: 5, output_tokens: 5 },
  },
  "/completions": {
    choices: [{ text: "Hi" }],
    usage: { prompt_tokens: 5, completion_tokens: 5, total_tokens: 10 },
  },
};

beforeAll(async () => {
  provider = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      got.push(JSON.parse(Buffer.concat(chunks).toString()) as Record<string, unknown>);
      const found = Object.entries(answers).find(([path]) => request.url?.includes(path));
      response.setHeader("content-type", "application/json");
      void gate.then(() => response.end(JSON.stringify(found?.[1] ?? {})));
    });
  });
  await new Promise<void>((resolve) => provider.listen(0, "127.0.0.1", resolve));
  const base_url = `http://127.0.0.1:${(provider.address() as AddressInfo).port}`;
  gateway = await startTestGateway();
  for (const model of ["plain", "plain-claude", "plain-gemini", "zai/glm-4.5"])
    await gateway.addPrice(model, { input: 1, output: 1 });
  await gateway.addChannel({ type: 1, base_url, name: "openai", models: ["plain", "zai/glm-4.5"] });
  await gateway.addChannel({ type: 14, base_url, name: "claude", models: ["plain-claude"] });
  await gateway.addChannel({ type: 25, base_url, name: "gemini", models: ["plain-gemini"] });
  ({ key } = await gateway.addToken());
  root = (await gateway.api<{ id: number }>("GET", "/user/self")).id;
});
afterAll(async () => {
  await gateway.stop();
  provider.close();
});
beforeEach(() => {
  got = [];
  gate = Promise.resolve();
});

async function setBalance(points: number): Promise<void> {
  const { quota } = await gateway.api<{ quota: number }>("GET", "/user/self");
  if (quota !== points)
    await gateway.api("POST", `/user/quota/${root}`, { quota: points - quota, remark: "test" });
}

function post(path: string, body: object): Promise<Response> {
  return fetch(`${gateway.url}${path}`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify(body),
  });
}

const messages = [{ role: "user", content: "Hello" }];
const contents = [{ role: "user", parts: [{ text: "Hello" }] }];
const limitNames = /"(?:max_tokens|max_output_tokens|max_completion_tokens|maxOutputTokens)":(\d+)/;

/** Returns the output limit that the provider received; undefined when it received none. */
function sentLimit(body: object | undefined = got[0]): number | undefined {
  const found = limitNames.exec(JSON.stringify(body))?.[1];
  return found === undefined ? undefined : Number(found);
}

const calls: [name: string, path: string, body: object, longest: number | undefined][] = [
  ["Chat Completions", "/v1/chat/completions", { model: "plain", messages }, undefined],
  ["Responses", "/v1/responses", { model: "plain", input: "Hello" }, undefined],
  [
    "Responses in the background",
    "/v1/responses",
    { model: "plain", input: "Hello", background: true },
    undefined,
  ],
  ["Gemini", "/v1beta/models/plain-gemini:generateContent", { contents }, undefined],
  [
    "Gemini with other settings",
    "/v1beta/models/plain-gemini:generateContent",
    { contents, generation_config: { temperature: 1 } },
    undefined,
  ],
  ["Chat to Gemini", "/v1/chat/completions", { model: "plain-gemini", messages }, undefined],
  ["Gemini to Chat", "/v1beta/models/plain:generateContent", { contents }, undefined],
  ["Completions", "/v1/completions", { model: "plain", prompt: "Hello" }, undefined],
  // This wire requires a limit, so a request never is without one.
  ["Chat to Messages", "/v1/chat/completions", { model: "plain-claude", messages }, 8_192],
];

describe.each(calls)("without an output limit: %s", (_name, path, body, longest) => {
  it("nothing is added where the balance covers the longest response", async () => {
    await setBalance(1_000_000);
    const answer = await post(path, body);
    expect(answer.status, await answer.text()).toBe(200);
    expect(sentLimit()).toBe(longest);
    expect(answer.headers.get("x-gateway-output-limit")).toBeNull();
  });

  it("a smaller balance is the limit", async () => {
    await setBalance(USUAL + INPUT);
    const answer = await post(path, body);
    expect(answer.status, await answer.text()).toBe(200);
    expect(sentLimit()).toBe(USUAL);
  });

  it("a balance below a usual response refuses the call", async () => {
    await setBalance(USUAL - INPUT);
    expect((await post(path, body)).status).toBe(402);
    expect(got).toEqual([]);
  });
});

describe("without an output limit", () => {
  const body = { model: "plain", messages };

  it("a quarter of the longest response is tried before a usual one, and the client learns the limit", async () => {
    await setBalance(LONGEST);
    const answer = await post("/v1/chat/completions", body);
    expect(answer.headers.get("x-gateway-output-limit")).toBe(String(LONG));
    expect(sentLimit()).toBe(LONG);
  });

  it("the published maximum of a model is its longest response", async () => {
    await setBalance(96_000 + INPUT);
    await post("/v1/chat/completions", { ...body, model: "zai/glm-4.5" });
    expect(sentLimit()).toBeUndefined();
  });

  it("several responses share the balance", async () => {
    await setBalance(3 * USUAL + INPUT);
    await post("/v1/chat/completions", { ...body, n: 3 });
    expect(sentLimit()).toBe(USUAL);
  });

  it("20 calls at once cannot produce more than the balance", async () => {
    const balance = 200_000;
    await setBalance(balance);
    const opened = Promise.withResolvers<void>();
    gate = opened.promise;
    let refused = 0;
    const sent = Array.from({ length: 20 }, async () => {
      const { status } = await post("/v1/chat/completions", body);
      if (status === 402) refused += 1;
    });
    // A call that is settled returns what it did not use; none may be until each of the 20 was decided.
    await expect.poll(() => got.length + refused, { timeout: 10_000 }).toBe(20);
    opened.resolve();
    await Promise.all(sent);
    const produced = got.reduce((sum: number, each) => sum + (sentLimit(each) ?? LONGEST), 0);
    expect(produced).toBeLessThanOrEqual(balance);
    expect(await gateway.drift()).toBe(0n);
  });

  it("a budget that an operator has set is the limit", async () => {
    await setBalance(1_000_000);
    const { used_quota: used } = await gateway.api<{ used_quota: number }>("GET", "/user/self");
    await gateway.api("PUT", `/user/${root}/budget`, { budget: { monthly_spend: used + USUAL + INPUT } });
    const answer = await post("/v1/chat/completions", body);
    expect(answer.status, await answer.text()).toBe(200);
    expect(sentLimit()).toBe(USUAL);
    await gateway.api("PUT", `/user/${root}/budget`, { budget: null });
  });
});
