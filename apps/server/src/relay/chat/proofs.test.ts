/** Proofs of thinking in conversations that change between providers, for every client and every pair. */
import { defaultSettings } from "@gateway/shared/site/settings";
import { describe, expect, it } from "vitest";
import type { Wire } from "#dialects/dialect.ts";
import { clientDialects } from "#dialects/index.ts";
import type { ClientDialectId, DialectId } from "#dialects/ir.ts";
import { channel } from "#domain/channels/selection/channels.fixture.ts";
import { bodyOf } from "#platform/http/response-body.ts";
import type { Provider } from "#providers/provider.ts";
import { openProviders } from "#providers/registry.ts";
import { readBody } from "./body.ts";
import { encodeChat } from "./encode-chat.ts";

const providers = openProviders();
const provider = (id: string) => [...providers.values()].find((each) => each.id === id) as Provider;

interface Host {
  provider: Provider;
  model: string;
  /** Hosts of one family accept each other's proofs. */
  family: string;
}

const host = (id: string, model: string, family: string): Host => ({ provider: provider(id), model, family });
const hosts: Host[] = [
  host("anthropic", "claude-sonnet-4-5", "claude"),
  host("vertex", "claude-sonnet-4-5", "claude"),
  host("bedrock", "anthropic.claude-sonnet-4-5-v1:0", "claude"),
  host("gemini", "gemini-3-pro", "gemini"),
  host("vertex", "gemini-3-pro", "gemini"),
  host("openai", "gpt-5.1-codex", "gpt"),
  host("azure", "gpt-5.1-codex", "azure"),
  host("xai", "grok-4", "grok"),
  host("deepseek", "deepseek-v4-pro", "deepseek"),
  host("moonshot", "kimi-k3", "kimi"),
];

const proof = "UFJPT0Y=";

/** A response with a proof, in each dialect of a provider. */
const answers: Record<DialectId, Wire> = {
  anthropic: {
    id: "msg_1",
    model: "m",
    stop_reason: "tool_use",
    content: [
      { type: "thinking", thinking: "Hm.", signature: proof },
      { type: "tool_use", id: "c1", name: "f", input: {} },
    ],
    usage: { input_tokens: 1, output_tokens: 1 },
  },
  gemini: {
    candidates: [
      {
        finishReason: "STOP",
        content: {
          role: "model",
          parts: [
            { text: "Hm.", thought: true },
            { functionCall: { id: "c1", name: "f", args: {} }, thoughtSignature: proof },
          ],
        },
      },
    ],
    usageMetadata: { promptTokenCount: 1, candidatesTokenCount: 1 },
  },
  "openai-responses": {
    id: "resp_1",
    status: "completed",
    model: "m",
    output: [
      { type: "reasoning", id: "rs_1", summary: [], encrypted_content: proof },
      { type: "function_call", id: "fc_1", call_id: "c1", name: "f", arguments: "{}" },
    ],
    usage: { input_tokens: 1, output_tokens: 1 },
  },
  "openai-chat": {
    id: "1",
    model: "m",
    choices: [
      {
        finish_reason: "tool_calls",
        message: {
          role: "assistant",
          content: null,
          reasoning_content: "Hm.",
          tool_calls: [{ id: "c1", type: "function", function: { name: "f", arguments: "{}" } }],
        },
      },
    ],
    usage: { prompt_tokens: 1, completion_tokens: 1 },
  },
};

const any = (value: unknown) => value as never;

/** The next request of a client that sends back what it received. */
const follow: Record<ClientDialectId, (answer: Wire) => Wire> = {
  interactions: (answer) => ({
    tools: [{ type: "function", name: "f", parameters: { type: "object", properties: {} } }],
    input: [
      { type: "user_input", content: [{ type: "text", text: "Hi" }] },
      ...(answer["steps"] as Wire[]),
      { type: "function_result", call_id: "c1", name: "f", result: "r" },
    ],
  }),
  anthropic: (answer) => ({
    max_tokens: 4000,
    thinking: { type: "enabled", budget_tokens: 2000 },
    tools: [{ name: "f", input_schema: { type: "object" } }],
    messages: [
      { role: "user", content: "Hi" },
      { role: "assistant", content: answer["content"] },
      { role: "user", content: [{ type: "tool_result", tool_use_id: "c1", content: "r" }] },
    ],
  }),
  gemini: (answer) => ({
    contents: [
      { role: "user", parts: [{ text: "Hi" }] },
      (answer["candidates"] as Wire[])[0]?.["content"],
      { role: "user", parts: [{ functionResponse: { id: "c1", name: "f", response: { result: "r" } } }] },
    ],
    tools: [{ functionDeclarations: [{ name: "f" }] }],
  }),
  "openai-responses": (answer) => ({
    store: false,
    include: ["reasoning.encrypted_content"],
    tools: [{ type: "function", name: "f", parameters: { type: "object", properties: {} } }],
    input: [
      { role: "user", content: "Hi" },
      ...(answer["output"] as Wire[]),
      { type: "function_call_output", call_id: "c1", output: "r" },
    ],
  }),
  "openai-chat": (answer) => ({
    tools: [{ type: "function", function: { name: "f", parameters: { type: "object", properties: {} } } }],
    messages: [
      { role: "user", content: "Hi" },
      (answer["choices"] as Wire[])[0]?.["message"],
      { role: "tool", tool_call_id: "c1", content: "r" },
    ],
  }),
};

const first: Wire = {
  model: "m",
  max_tokens: 4000,
  messages: [{ role: "user", content: "Hi" }],
  contents: [{ role: "user", parts: [{ text: "Hi" }] }],
  input: "Hi",
};

function encoded(client: ClientDialectId, body: Wire, { provider: own, model }: Host) {
  const dialect = clientDialects[client];
  const call = {
    client: dialect,
    body,
    raw: Buffer.from(JSON.stringify(body)),
    request: dialect.decodeRequest({ model, ...body }, { model }),
    forward: {},
  };
  const target = { channel: channel({ id: 1, provider: own }), upstreamModel: model };
  const sent = encodeChat(call, any(target), defaultSettings);
  return { call, sent, text: (sent.request.body as string | Buffer).toString() };
}

/** The provider's response as the client receives it. */
async function received(client: ClientDialectId, from: Host): Promise<Wire> {
  const { call, sent } = encoded(client, first, from);
  const text = JSON.stringify(answers[sent.upstream.id === "own" ? "openai-chat" : sent.upstream.id]);
  const response = {
    status: 200,
    headers: { "content-type": "application/json" },
    ...bodyOf(async function* chunks() {
      yield Buffer.from(text);
    }),
    cancel() {},
  };
  const { upstream, repair, origin } = sent;
  const read = await readBody(call, { response: any(response), upstream, repair, origin });
  if (!("body" in read)) throw new Error(JSON.stringify(read));
  return JSON.parse(read.body) as Wire;
}

describe("a proof of thinking", () => {
  for (const client of Object.keys(clientDialects) as ClientDialectId[])
    for (const from of hosts)
      it(`of ${from.provider.id} ${from.model} reaches only its own family from a client of ${client}`, async () => {
        const next = follow[client](await received(client, from));
        for (const to of hosts) {
          const { text } = encoded(client, next, to);
          const name = `to ${to.provider.id} ${to.model}`;
          expect(text, name).not.toContain('"proof:');
          if (from.family !== to.family) expect(text, name).not.toContain(proof);
        }
      });

  it.each([
    ["anthropic", "gemini"],
    ["anthropic", "openai"],
    ["openai-responses", "anthropic"],
    ["openai-responses", "gemini"],
    ["gemini", "anthropic"],
    ["openai-chat", "anthropic"],
    ["openai-chat", "gemini"],
    ["anthropic", "deepseek"],
    ["openai-responses", "xai"],
    ["interactions", "gemini"],
    ["interactions", "anthropic"],
    ["interactions", "openai"],
  ] as const)("comes back unchanged from a client of %s to %s", async (client, id) => {
    const own = hosts.find((each) => each.provider.id === id) as Host;
    const { text } = encoded(client, follow[client](await received(client, own)), own);
    expect(text).toContain(proof);
  });

  it("leaves a Messages request without the thinking setting when the current call lost it", async () => {
    const gemini = host("gemini", "gemini-3-pro", "gemini");
    const { text } = encoded(
      "anthropic",
      follow.anthropic(await received("anthropic", gemini)),
      hosts[0] as Host,
    );
    const body = JSON.parse(text) as Wire;
    expect(body).not.toHaveProperty("thinking");
    expect(body["tools"]).toEqual([{ name: "f", input_schema: { type: "object" } }]);
  });

  it("is OpenAI's in a Chat history when it is a Fernet token", () => {
    const history = follow["openai-chat"]({
      choices: [
        {
          message: {
            role: "assistant",
            content: "x",
            reasoning_details: [{ type: "reasoning.encrypted", data: "gAAAAABoX" }],
          },
        },
      ],
    });
    const { text } = encoded("openai-chat", history, hosts[0] as Host);
    expect(text).not.toContain("gAAAA");
  });
});

describe("thinking without a proof, from a provider that has none", () => {
  const thinking = { type: "thinking", thinking: "Hm.", signature: "" };
  const history = { content: [thinking, { type: "tool_use", id: "c1", name: "f", input: {} }] };

  it.each(hosts.filter(({ family }) => family === "claude"))(
    "does not reach Claude at $provider.id within its dialect",
    (claude) => {
      const { text } = encoded("anthropic", follow.anthropic(history), claude);
      expect(text).not.toContain("Hm.");
      expect(JSON.parse(text)).not.toHaveProperty("thinking");
    },
  );

  it("stays at a host of the dialect that requires it", () => {
    const { text } = encoded(
      "anthropic",
      follow.anthropic(history),
      host("deepseek", "deepseek-v4-pro", "deepseek"),
    );
    expect(text).toContain("Hm.");
  });
});

describe("a call without a proof", () => {
  const call = { functionCall: { id: "c1", name: "f", args: {} } };
  const history = (...parts: Wire[]) =>
    follow.gemini({ candidates: [{ content: { role: "model", parts } }] });

  it.each(["gemini", "vertex"])("gets the placeholder of %s within its dialect", (id) => {
    const { text } = encoded("gemini", history(call, call), host(id, "gemini-3-pro", "gemini"));
    expect(text.split("skip_thought_signature_validator")).toHaveLength(2);
  });

  it("stays unchanged for older models, and where the turn has a proof", () => {
    const older = encoded("gemini", history(call), host("gemini", "gemini-2.5-pro", "gemini"));
    expect(older.text).not.toContain("skip_thought");
    const signed = { ...call, thoughtSignature: proof };
    const { text } = encoded("gemini", history(signed, call), host("gemini", "gemini-3-pro", "gemini"));
    expect(text).not.toContain("skip_thought");
  });
});

describe("reasoning details of OpenRouter", () => {
  const details = [
    { type: "reasoning.text", text: "Hm.", signature: proof, format: "anthropic-claude-v1", index: 0 },
  ];
  const history = follow["openai-chat"]({
    choices: [{ message: { role: "assistant", content: "x", reasoning_details: details, custom: 1 } }],
  });
  const openrouter = (model: string) => host("openrouter", model, "");

  it("return unchanged to a model of the same maker", () => {
    const { call, text } = encoded(
      "openai-chat",
      { ...history, model: "anthropic/claude-sonnet-4.5" },
      openrouter("anthropic/claude-sonnet-4.5"),
    );
    expect(text).toBe(call.raw.toString());
  });

  it("do not reach a model of another maker", () => {
    const { text } = encoded("openai-chat", history, openrouter("openai/gpt-5"));
    expect(text).not.toContain(proof);
  });
});

describe("reasoning that has an id of the gateway and no proof", () => {
  it("does not reach a provider of Responses, which does not know the id", () => {
    const item = {
      type: "reasoning",
      id: `rs_${"0a".repeat(16)}`,
      summary: [{ type: "summary_text", text: "Hm." }],
    };
    const body = { input: [{ role: "user", content: "Hi" }, item, { role: "user", content: "Go on" }] };
    const { text } = encoded("openai-responses", body, host("openai", "gpt-5.1-codex", "gpt"));
    expect(text).not.toContain("rs_0a");
  });
});
