import type { TokenRow } from "@gateway/shared/accounts/token";
import { GoogleGenAI } from "@google/genai";
import { afterAll, beforeAll, beforeEach, expect, it, vi } from "vitest";
import { startTestGateway, type TestGateway } from "#test/gateway.ts";
import {
  type ReceivedRequest,
  type ScriptedResponse,
  type ScriptedServer,
  startScriptedServer,
} from "#test/scripted-servers.ts";

/** Web searches by the gateway, for a provider that speaks Chat and has none. */
let gateway: TestGateway;
let provider: ScriptedServer;
let engine: ScriptedServer;
let token: TokenRow & { key: string };

const model = "plain-model";
const DEEPSEEK = 28;
const page = {
  url: "https://news.example.com/a",
  title: "The news",
  content: "The price of tea is 12 crowns.",
};
const answer = "Tea costs 12 crowns ([The news](https://news.example.com/a)).";
const usage = { prompt_tokens: 100, completion_tokens: 10, total_tokens: 110 };

interface ChatMessage {
  role: string;
  content?: unknown;
  tool_calls?: { id: string; function: { name: string; arguments: string } }[];
  tool_call_id?: string;
}

function messagesIn({ body }: ReceivedRequest): ChatMessage[] {
  return body?.["messages"] as ChatMessage[];
}

let calls = 0;

/** The model searches once for `query`, and then responds. */
function searchesFor(query: string, text = answer): (request: ReceivedRequest) => ScriptedResponse {
  return (request) => {
    const isAnswer = messagesIn(request).at(-1)?.role === "tool";
    calls += 1;
    const call = {
      id: `call_${calls}`,
      type: "function",
      function: { name: "web_search", arguments: JSON.stringify({ query }) },
    };
    const head = { id: `chatcmpl-${calls}`, created: 1, model };
    const finish = isAnswer ? "stop" : "tool_calls";
    if (request.body?.["stream"] !== true) {
      const message = isAnswer
        ? { role: "assistant", content: text }
        : { role: "assistant", content: null, tool_calls: [call] };
      return {
        json: {
          ...head,
          object: "chat.completion",
          choices: [{ index: 0, message, finish_reason: finish }],
          usage,
        },
      };
    }
    const chunk = (delta: unknown, finish_reason: string | null = null) => ({
      ...head,
      object: "chat.completion.chunk",
      choices: [{ index: 0, delta, finish_reason }],
    });
    const deltas = isAnswer
      ? [...text.matchAll(/.{1,7}/gs)].map(([piece]) => ({ content: piece }))
      : [{ tool_calls: [{ index: 0, ...call }] }];
    return {
      frames: [
        chunk({ role: "assistant", content: "" }),
        ...deltas.map((delta) => chunk(delta)),
        chunk({}, finish),
        { ...head, object: "chat.completion.chunk", choices: [], usage },
        "[DONE]",
      ],
    };
  };
}

const found = (...results: object[]): ScriptedResponse => ({ json: { results } });

async function configure(values: Record<string, unknown>): Promise<void> {
  await gateway.api("PUT", "/option/batch", { values });
}

beforeAll(async () => {
  [provider, engine] = await Promise.all([startScriptedServer(), startScriptedServer()]);
  gateway = await startTestGateway();
  await gateway.addChannel({ type: 8, name: "no search", models: [model], base_url: provider.url });
  await gateway.addPrice(model);
  token = await gateway.addToken();
  await configure({ WebSearchEngine: "searxng", WebSearchAddress: engine.url, WebSearchTimeoutSeconds: 1 });
});
afterAll(async () => {
  await gateway.stop();
  await Promise.all([provider.close(), engine.close()]);
});
beforeEach(() => {
  provider.requests.length = 0;
  engine.requests.length = 0;
  engine.play(() => found(page));
});

const tool = { type: "web_search_20250305", name: "web_search", max_uses: 3 } as const;

function ask(query: string, fields: object = {}) {
  return {
    model,
    max_tokens: 4_000,
    messages: [{ role: "user" as const, content: `What does ${query} cost?` }],
    tools: [{ ...tool, ...fields }],
  };
}

it("Messages: the gateway searches for a model that cannot, and the call is charged once with its searches", async () => {
  provider.play(searchesFor("tea"));
  const message = await gateway.anthropic(token.key).messages.create(ask("tea"));
  expect(message.content.map(({ type }) => type)).toEqual([
    "server_tool_use",
    "web_search_tool_result",
    "text",
  ]);
  const [use, result, text] = message.content;
  expect(use).toMatchObject({ name: "web_search", input: { query: "tea" } });
  expect(result).toMatchObject({
    tool_use_id: use?.type === "server_tool_use" ? use.id : "",
    content: [{ type: "web_search_result", url: page.url, title: page.title }],
  });
  expect(text).toMatchObject({
    text: answer,
    citations: [
      { type: "web_search_result_location", url: page.url, title: page.title, cited_text: page.content },
    ],
  });
  expect(message.stop_reason).toBe("end_turn");
  expect(message.usage).toMatchObject({
    input_tokens: 200,
    output_tokens: 20,
    server_tool_use: { web_search_requests: 1 },
  });
  expect(provider.requests).toHaveLength(2);
  const [first, second] = provider.requests;
  expect(first?.body?.["tools"]).toMatchObject([{ type: "function", function: { name: "web_search" } }]);
  expect(messagesIn(second!).at(-1)?.content).toContain(page.content);
  const [row] = await gateway.logs(1, token.id);
  // A point for each of 220 tokens, and $0.01 for the search.
  expect(row).toMatchObject({ quota: 5_220, prompt_tokens: 200, completion_tokens: 20 });
  expect(await gateway.drift()).toBe(0n);
});

it("Messages: a streamed response has the same blocks, and citations arrive with their text", async () => {
  provider.play(searchesFor("coffee"));
  const stream = gateway.anthropic(token.key).messages.stream(ask("coffee"));
  const types: string[] = [];
  stream.on("streamEvent", (event) => types.push(event.type));
  const message = await stream.finalMessage();
  expect(message.content.map(({ type }) => type)).toEqual([
    "server_tool_use",
    "web_search_tool_result",
    "text",
  ]);
  expect(message.content[0]).toMatchObject({ input: { query: "coffee" } });
  expect(message.content[2]).toMatchObject({ text: answer, citations: [{ url: page.url }] });
  expect(message.usage).toMatchObject({ input_tokens: 200, output_tokens: 20 });
  expect(types.filter((type) => type === "message_start")).toHaveLength(1);
  expect(types.filter((type) => type === "message_stop")).toHaveLength(1);
  await expect.poll(async () => (await gateway.logs(2, token.id))[0]?.quota).toBe(5_220);
});

it("Messages: the next request shows the model what was found, as calls of its function", async () => {
  provider.play(searchesFor("milk"));
  const client = gateway.anthropic(token.key);
  const first = await client.messages.create(ask("milk"));
  provider.requests.length = 0;
  provider.play(() =>
    searchesFor(
      "milk",
      "You are welcome.",
    )({ ...provider.requests[0]!, body: { messages: [{ role: "tool" }] } }),
  );
  const { messages, ...rest } = ask("milk");
  await client.messages.create({
    ...rest,
    messages: [
      ...messages,
      { role: "assistant", content: first.content },
      { role: "user", content: "Thanks" },
    ],
  });
  const sent = messagesIn(provider.requests[0]!);
  expect(sent.map(({ role }) => role)).toEqual(["user", "assistant", "tool", "assistant", "user"]);
  expect(sent[1]?.tool_calls?.[0]?.function).toEqual({ name: "web_search", arguments: '{"query":"milk"}' });
  expect(sent[2]?.content).toContain(page.content);
  expect(sent[3]?.content).toBe(answer);
});

it.each([
  ["answers 500", { status: 500, text: "broken" }, "unavailable"],
  ["limits its rate", { status: 429, text: "slow down" }, "too_many_requests"],
  ["hangs", { hang: true }, "unavailable"],
  ["floods", { text: "x".repeat(3_000_000) }, "unavailable"],
  ["redirects to another address", { status: 302, text: "" }, "unavailable"],
] as const)(
  "a search service that %s is an error for the model, and costs nothing",
  async (what, played, code) => {
    engine.play(() => played);
    provider.play(searchesFor(what));
    const key = await gateway.addToken();
    const message = await gateway.anthropic(key.key).messages.create(ask(what));
    expect(message.content[1]).toMatchObject({
      content: { type: "web_search_tool_result_error", error_code: code },
    });
    expect(message.usage.server_tool_use).toBeNull();
    expect((await gateway.logs(1, key.id))[0]?.quota).toBe(220);
  },
);

it("pages at private addresses are dropped", async () => {
  const hidden = [
    "http://127.0.0.1/",
    "http://10.0.0.1/x",
    "http://[::1]/",
    "http://router.local/",
    "http://intranet/",
    "ftp://a.example.com/",
    "http://169.254.169.254/",
    "http://0x7f.1/",
  ];
  engine.play(() => found(...hidden.map((url) => ({ ...page, url })), page));
  provider.play(searchesFor("secrets"));
  const message = await gateway.anthropic(token.key).messages.create(ask("secrets"));
  const [, result] = message.content;
  const list =
    result?.type === "web_search_tool_result" && Array.isArray(result.content) ? result.content : [];
  expect(list.map(({ url }) => url)).toEqual([page.url]);
});

it("max_uses ends the searches, and rounds are bounded", async () => {
  provider.play((request) =>
    searchesFor(`again ${messagesIn(request).length}`)({
      ...request,
      body: { ...request.body, messages: [{ role: "user" }] },
    }),
  );
  const message = await gateway.anthropic(token.key).messages.create(ask("again", { max_uses: 2 }));
  expect(engine.requests).toHaveLength(2);
  expect(provider.requests).toHaveLength(3);
  expect(message.stop_reason).toBe("end_turn");
  expect(message.usage.server_tool_use?.web_search_requests).toBe(2);
});

it("a search with too many or too long domains is refused before anything is sent", async () => {
  const message = /at most 100 domains of at most 253 characters/;
  for (const allowed_domains of [Array.from({ length: 101 }, (_, n) => `a${n}.com`), ["a".repeat(254)]])
    await expect(
      gateway.anthropic(token.key).messages.create(ask("domains", { allowed_domains })),
    ).rejects.toThrow(message);
  expect(provider.requests).toEqual([]);
});

it("allowed and blocked domains reach the search service and hold for its results", async () => {
  engine.play(() => found(page, { ...page, url: "https://other.org/b" }));
  provider.play(searchesFor("domains"));
  const message = await gateway
    .anthropic(token.key)
    .messages.create(ask("domains", { allowed_domains: ["example.com"] }));
  expect(decodeURIComponent(engine.requests[0]?.path ?? "")).toContain("site:example.com");
  expect(message.content[1]).toMatchObject({ content: [{ url: page.url }] });
});

it("a repeated search is answered from memory", async () => {
  provider.play(searchesFor("twice"));
  await gateway.anthropic(token.key).messages.create(ask("twice"));
  await gateway.anthropic(token.key).messages.create(ask("twice"));
  expect(engine.requests).toHaveLength(1);
});

it("what a balance does not cover is not searched", async () => {
  const poor = await gateway.addToken({ unlimited_quota: false, remain_quota: 6_000 });
  provider.play(searchesFor("poor"));
  // Three searches cost at most 15,000 points.
  await expect(gateway.anthropic(poor.key).messages.create(ask("poor"))).rejects.toMatchObject({
    status: 402,
  });
  expect(provider.requests).toHaveLength(0);
});

it("a round that the provider refuses fails a whole response without a charge", async () => {
  const key = await gateway.addToken();
  const search = searchesFor("refused");
  provider.play((request) =>
    messagesIn(request).at(-1)?.role === "tool"
      ? { status: 400, json: { error: { message: "no" } } }
      : search(request),
  );
  await expect(gateway.anthropic(key.key).messages.create(ask("refused"))).rejects.toMatchObject({
    status: 400,
  });
  expect((await gateway.logs(1, key.id))[0]?.quota).toBe(0);
});

it("a round that the provider refuses ends a stream with an error, and what was delivered is charged", async () => {
  const key = await gateway.addToken();
  const search = searchesFor("refused stream");
  provider.play((request) =>
    messagesIn(request).at(-1)?.role === "tool"
      ? { status: 500, json: { error: { message: "no" } } }
      : search(request),
  );
  const stream = gateway.anthropic(key.key).messages.stream(ask("refused stream"));
  await expect(stream.finalMessage()).rejects.toThrow();
  // 110 tokens of the first round, and its search.
  expect((await gateway.logs(1, key.id))[0]?.quota).toBe(5_110);
});

it("Responses: the search is an item, and the sources are annotations", async () => {
  provider.play(searchesFor("rice"));
  const response = await gateway.openai(token.key).responses.create({
    model,
    input: "What does rice cost?",
    tools: [{ type: "web_search" }],
  });
  expect(response.output.map(({ type }) => type)).toEqual(["web_search_call", "message"]);
  expect(response.output[0]).toMatchObject({
    status: "completed",
    action: { type: "search", query: "rice" },
  });
  const [, message] = response.output;
  const content = message?.type === "message" ? message.content[0] : undefined;
  const start = answer.indexOf("[");
  expect(content).toMatchObject({
    text: answer,
    annotations: [
      {
        type: "url_citation",
        url: page.url,
        title: page.title,
        start_index: start,
        end_index: answer.length - 2,
      },
    ],
  });
});

it("Responses: a stream has the events of the search", async () => {
  provider.play(searchesFor("salt"));
  const stream = await gateway.openai(token.key).responses.create({
    model,
    stream: true,
    input: "What does salt cost?",
    tools: [{ type: "web_search_preview" }],
  });
  const events: string[] = [];
  let output: unknown;
  for await (const event of stream) {
    events.push(event.type);
    if (event.type === "response.completed") output = event.response.output;
  }
  expect(events).toContain("response.web_search_call.searching");
  expect(events).toContain("response.output_text.annotation.added");
  expect(output).toMatchObject([{ type: "web_search_call" }, { type: "message" }]);
});

it("Chat: web_search_options returns annotations", async () => {
  provider.play(searchesFor("oil"));
  const completion = await gateway.openai(token.key).chat.completions.create({
    model,
    web_search_options: {},
    messages: [{ role: "user", content: "What does oil cost?" }],
  });
  expect(completion.choices[0]?.message).toMatchObject({
    content: answer,
    annotations: [{ type: "url_citation", url_citation: { url: page.url, title: page.title } }],
  });
  expect(completion.choices[0]?.finish_reason).toBe("stop");
});

it.each([false, true])(
  "Gemini: googleSearch returns the sources as grounding (streamed: %s)",
  async (isStreamed) => {
    provider.play(searchesFor(`corn ${isStreamed}`));
    const client = new GoogleGenAI({ apiKey: token.key, httpOptions: { baseUrl: gateway.url } });
    const request = { model, contents: "What does corn cost?", config: { tools: [{ googleSearch: {} }] } };
    const candidates = [];
    if (isStreamed)
      for await (const chunk of await client.models.generateContentStream(request))
        candidates.push(...(chunk.candidates ?? []));
    else candidates.push(...((await client.models.generateContent(request)).candidates ?? []));
    const text = candidates
      .flatMap(({ content }) => content?.parts ?? [])
      .map((part) => part.text ?? "")
      .join("");
    expect(text).toBe(answer);
    expect(candidates.find((each) => each.groundingMetadata)?.groundingMetadata).toMatchObject({
      webSearchQueries: [`corn ${isStreamed}`],
      groundingChunks: [{ web: { uri: page.url, title: page.title } }],
    });
  },
);

it("calls of the client's own functions end the response after the search", async () => {
  const search = searchesFor("both");
  provider.play((request) => {
    const played = search(request);
    if (!("json" in played)) return played;
    const json = played.json as { choices: { message: ChatMessage }[] };
    json.choices[0]?.message.tool_calls?.push({
      id: "own_1",
      type: "function",
      function: { name: "add", arguments: "{}" },
    } as never);
    return played;
  });
  const own = { name: "add", input_schema: { type: "object" as const } };
  const message = await gateway.anthropic(token.key).messages.create({ ...ask("both"), tools: [tool, own] });
  expect(message.content.map(({ type }) => type)).toEqual([
    "tool_use",
    "server_tool_use",
    "web_search_tool_result",
  ]);
  expect(message.stop_reason).toBe("tool_use");
  expect(provider.requests).toHaveLength(1);
});

it("a provider that searches itself gets the client's tool, without earlier searches of the gateway", async () => {
  await gateway.addChannel({ type: 14, name: "own search", models: ["own-model"], base_url: provider.url });
  await gateway.addPrice("own-model");
  provider.play(searchesFor("first"));
  const client = gateway.anthropic(token.key);
  const first = await client.messages.create(ask("first"));
  provider.play(() => ({
    json: {
      id: "msg_1",
      type: "message",
      role: "assistant",
      model: "own-model",
      content: [{ type: "text", text: "Hello" }],
      stop_reason: "end_turn",
      usage: { input_tokens: 5, output_tokens: 1 },
    },
  }));
  provider.requests.length = 0;
  const { messages, ...rest } = ask("second");
  await client.messages.create({
    ...rest,
    model: "own-model",
    messages: [
      ...messages,
      { role: "assistant", content: first.content },
      { role: "user", content: "Thanks" },
    ],
  });
  const [sent] = provider.requests;
  expect(sent?.body?.["tools"]).toEqual([tool]);
  expect(messagesIn(sent!)[1]).toEqual({ role: "assistant", content: answer });
  expect(engine.requests).toHaveLength(1);
});

it("without a search service the request is sent as before", async () => {
  await configure({ WebSearchEngine: "" });
  try {
    provider.play(searchesFor("nothing"));
    const { data, response } = await gateway
      .anthropic(token.key)
      .messages.create(ask("nothing"))
      .withResponse();
    expect(data.stop_reason).toBe("tool_use");
    expect(response.headers.get("x-gateway-dropped")).toContain("web-search");
    expect(engine.requests).toHaveLength(0);
  } finally {
    await configure({ WebSearchEngine: "searxng" });
  }
});

it("Messages at a provider without a search: thinking keeps its proof between the rounds", async () => {
  await gateway.addChannel({
    type: DEEPSEEK,
    name: "messages",
    models: ["deepseek-chat"],
    base_url: provider.url,
  });
  await gateway.addPrice("deepseek-chat");
  const usage = { input_tokens: 50, output_tokens: 5 };
  provider.play((request) => {
    const isAnswer = messagesIn(request).length > 1;
    const content = isAnswer
      ? [{ type: "text", text: answer }]
      : [
          { type: "thinking", thinking: "I should search.", signature: "proof" },
          { type: "tool_use", id: "toolu_1", name: "web_search", input: { query: "tea with thought" } },
        ];
    const stop_reason = isAnswer ? "end_turn" : "tool_use";
    return {
      json: {
        id: "msg_1",
        type: "message",
        role: "assistant",
        model: "deepseek-chat",
        content,
        stop_reason,
        usage,
      },
    };
  });
  const message = await gateway
    .anthropic(token.key)
    .messages.create({ ...ask("tea"), model: "deepseek-chat" });
  expect(message.content.map(({ type }) => type)).toEqual([
    "thinking",
    "server_tool_use",
    "web_search_tool_result",
    "text",
  ]);
  // The client gets a mark of the origin, which is taken off when the proof returns.
  const [thought] = message.content;
  expect(thought?.type === "thinking" ? thought.signature : "").toMatch(/^proof:/);
  await gateway.anthropic(token.key).messages.create({
    ...ask("tea"),
    model: "deepseek-chat",
    messages: [
      ...ask("tea").messages,
      { role: "assistant", content: message.content },
      { role: "user", content: "Why?" },
    ],
  });
  expect(provider.requests[2]?.body?.["messages"]).toMatchObject([
    { role: "user" },
    { role: "assistant", content: [{ signature: "proof" }, { type: "tool_use", name: "web_search" }] },
    { role: "user", content: [{ type: "tool_result" }] },
    { role: "assistant" },
    { role: "user" },
  ]);
  const [first, second] = provider.requests;
  expect(first?.path).toContain("/messages");
  expect(first?.body?.["tools"]).toMatchObject([
    { name: "web_search", input_schema: { required: ["query"] } },
  ]);
  expect(second?.body?.["messages"]).toMatchObject([
    { role: "user" },
    {
      role: "assistant",
      content: [
        { type: "thinking", thinking: "I should search.", signature: "proof" },
        { type: "tool_use", id: "toolu_1", input: { query: "tea with thought" } },
      ],
    },
    { role: "user", content: [{ type: "tool_result", tool_use_id: "toolu_1" }] },
  ]);
});

it("each round may write what the rounds before have left of the limit", async () => {
  provider.play(searchesFor("limit"));
  const { response } = await gateway
    .anthropic(token.key)
    .messages.create(ask("limit", { user_location: { type: "approximate", city: "Paris" } }))
    .withResponse();
  expect(response.headers.get("x-gateway-dropped")).toBe("tools.user_location");
  const limits = provider.requests.map(({ body }) => body?.["max_completion_tokens"] ?? body?.["max_tokens"]);
  expect(limits).toEqual([4_000, 3_990]);
});

it("a client that leaves during a search pays for the round before it, and nothing stays reserved", async () => {
  const key = await gateway.addToken();
  await configure({ WebSearchTimeoutSeconds: 60 });
  try {
    engine.play(() => ({ hang: true }));
    provider.play(searchesFor("leaving"));
    const leave = new AbortController();
    const response = await fetch(`${gateway.url}/v1/messages`, {
      method: "POST",
      signal: leave.signal,
      headers: {
        "x-api-key": key.key,
        "anthropic-version": "2023-06-01",
        "content-type": "application/json",
      },
      body: JSON.stringify({ ...ask("leaving"), stream: true }),
    });
    expect(response.status).toBe(200);
    await expect.poll(() => engine.requests.length).toBe(1);
    // The first round, two more, and three searches are reserved.
    const [reservation] = await gateway.database.db.reservation.findMany();
    expect(Number(reservation?.amount)).toBeGreaterThan(15_000);
    leave.abort();
    const [row] = await gateway.logs(1, key.id);
    expect(row).toMatchObject({ quota: 110, outcome: "client-left" });
    await expect.poll(() => gateway.database.db.reservation.count()).toBe(0);
    expect(await gateway.drift()).toBe(0n);
    expect(provider.requests).toHaveLength(1);
  } finally {
    await configure({ WebSearchTimeoutSeconds: 1 });
  }
});

it("Responses: a stored conversation continues without the items of the search", async () => {
  provider.play(searchesFor("stored"));
  const client = gateway.openai(token.key);
  const first = await client.responses.create({
    model,
    store: true,
    input: "What does it cost?",
    tools: [{ type: "web_search" }],
  });
  provider.requests.length = 0;
  provider.play((request) =>
    searchesFor("", "You are welcome.")({ ...request, body: { messages: [{ role: "tool" }] } }),
  );
  const second = await client.responses.create({ model, previous_response_id: first.id, input: "Thanks" });
  expect(second.output_text).toBe("You are welcome.");
  const sent = messagesIn(provider.requests[0]!);
  expect(sent.map(({ role }) => role)).toEqual(["user", "assistant", "user"]);
});

it("root can test the search service, and learns why it fails", async () => {
  const test = () => gateway.api<{ pages: number }>("POST", "/option/web-search/test");
  engine.play(() => ({ status: 403, text: "" }));
  await expect(test()).rejects.toThrow("HTTP 403");
  engine.play(() => ({ text: "<html>" }));
  await expect(test()).rejects.toThrow("not a response of this service");
  engine.play(() => found(page));
  expect(await test()).toEqual({ pages: 1 });
});

it("Codex: /v1/alpha/search returns what was found, and each search is charged", async () => {
  const key = await gateway.addToken();
  const search = async (commands: object) => {
    const response = await fetch(`${gateway.url}/v1/alpha/search`, {
      method: "POST",
      headers: { authorization: `Bearer ${key.key}`, "content-type": "application/json" },
      body: JSON.stringify({ id: "call_1", model, commands, settings: { external_web_access: true } }),
    });
    return { status: response.status, body: (await response.json()) as Record<string, unknown> };
  };
  const { status, body } = await search({
    search_query: [{ q: "wool", domains: ["example.com"] }, { q: "silk" }],
    open: [{ ref_id: page.url }],
    response_length: "short",
  });
  expect(status).toBe(200);
  expect(body["encrypted_output"]).toBeNull();
  expect(body["output"]).toContain('Results for "wool"');
  expect(body["output"]).toContain(page.content);
  expect(body["output"]).toContain('The command "open" is not supported');
  const [row] = await gateway.logs(1, key.id);
  expect(row).toMatchObject({ quota: 10_000, endpoint: "/v1/alpha/search", cache_hit: false });
  expect((await search({ search_query: Array.from({ length: 6 }, () => ({ q: "x" })) })).status).toBe(400);
  engine.play(() => ({ status: 500, text: "" }));
  expect((await search({ search_query: [{ q: "linen" }] })).body["output"]).toContain("The search failed");
  expect((await gateway.logs(2, key.id))[0]?.quota).toBe(0);
  expect(await gateway.drift()).toBe(0n);
});

it("Codex: /v1/alpha/search is charged for what it found when its client leaves", async () => {
  const { key, id } = await gateway.addToken();
  engine.play(({ path }) => (path.includes("hemp") ? { hang: true } : found(page)));
  const leaving = new AbortController();
  const left = fetch(`${gateway.url}/v1/alpha/search`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify({ model, commands: { search_query: [{ q: "velvet" }, { q: "hemp" }] } }),
    signal: leaving.signal,
  }).catch(() => undefined);
  await vi.waitUntil(() => engine.requests.length === 2);
  leaving.abort();
  await left;
  expect(await gateway.logs(1, id)).toMatchObject([{ quota: 5_000, status: 499, outcome: "client-left" }]);
  expect(await gateway.drift()).toBe(0n);
});

it("/v1/alpha/search is not served without a search service", async () => {
  await configure({ WebSearchEngine: "" });
  try {
    const response = await fetch(`${gateway.url}/v1/alpha/search`, {
      method: "POST",
      headers: { authorization: `Bearer ${token.key}`, "content-type": "application/json" },
      body: JSON.stringify({ model, commands: { search_query: [{ q: "tea" }] } }),
    });
    expect(response.status).toBe(404);
  } finally {
    await configure({ WebSearchEngine: "searxng" });
  }
});
