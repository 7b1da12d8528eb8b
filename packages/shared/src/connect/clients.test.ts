import { describe, expect, it } from "vitest";
import { clientById, clients } from "./clients.ts";
import { type Connection, type Part, pathOn } from "./connection.ts";
import { asciiJson, base64, envValue, powershellWord, quoteJson, shellWord } from "./quoting.ts";

const connection: Connection = { baseUrl: "https://gateway.example", model: "demo-chat", key: "sk-abc123" };
/** A name with every character that could end a text in one of the formats. */
const hostile: Connection = { ...connection, model: "o'mo\"del\\ $(id) `x` # {y}" };

function filesOf(id: string, given = connection) {
  return Object.fromEntries((clientById(id)?.files?.(given) ?? []).map((file) => [file.path, file.content]));
}

function textOf(part: Part): string {
  switch (part.kind) {
    case "file":
    case "code":
      return part.content;
    case "command":
      return `${part.posix}\n${part.powershell}`;
    case "fields":
      return part.rows.map(({ value }) => value).join("\n");
    case "link":
      return decodeURIComponent(part.url);
  }
}

describe("clients", () => {
  it("have unique ids and at least one pitfall", () => {
    const ids = clients.map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    for (const client of clients) expect(client.pitfalls, client.id).not.toEqual([]);
  });

  it.each(clients)("$id contains address and key", (client) => {
    const text = client.parts(connection).map(textOf).join("\n");
    expect(text).toContain("gateway.example");
    expect(text).toContain("sk-abc123");
    expect(text).not.toContain("gateway.example//");
    expect(text).not.toContain("/v1/v1");
  });

  it.each(clients)("$id has JSON files that stay valid with any model name", (client) => {
    for (const part of client.parts(hostile)) {
      if (part.kind !== "file" || part.format !== "json") continue;
      expect(JSON.stringify(JSON.parse(part.content))).toContain(JSON.stringify(hostile.model).slice(1, -1));
    }
  });
});

describe("settings of agents", () => {
  it("contain the context window of the model if it is known", () => {
    const known = { ...connection, contextWindow: "131072" };
    const { env } = JSON.parse(filesOf("claude-code", known)[".claude/settings.json"] ?? "");
    expect(env.CLAUDE_CODE_MAX_CONTEXT_TOKENS).toBe("131072");
    expect(filesOf("codex", known)[".codex/config.toml"]).toContain("\nmodel_context_window = 131072\n\n[");
    expect(filesOf("codex")[".codex/config.toml"]).not.toContain("model_context_window");
    expect(JSON.parse(filesOf("pi", known)[".pi/agent/models.json"] ?? "").providers.gateway.models).toEqual([
      { id: "demo-chat", contextWindow: 131_072 },
    ]);
  });

  it.each([
    ["deepseek-v4", "128000"],
    ["gpt-5.5", "128000"],
    ["claude-sonnet-5", undefined],
    ["anthropic/claude-opus-4-8", undefined],
    ["opus", undefined],
  ])("give Claude Code a size for %s (%s) without a description", (model, tokens) => {
    const { env } = JSON.parse(
      filesOf("claude-code", { ...connection, model })[".claude/settings.json"] ?? "",
    );
    expect(env.CLAUDE_CODE_MAX_CONTEXT_TOKENS).toBe(tokens);
  });

  it("give Claude Code the root address and one model for both kinds of calls", () => {
    const { env } = JSON.parse(filesOf("claude-code")[".claude/settings.json"] ?? "");
    expect(env).toEqual({
      ANTHROPIC_BASE_URL: "https://gateway.example",
      ANTHROPIC_AUTH_TOKEN: "sk-abc123",
      ANTHROPIC_MODEL: "demo-chat",
      CLAUDE_CODE_MAX_CONTEXT_TOKENS: "128000",
      CLAUDE_CODE_ENABLE_GATEWAY_MODEL_DISCOVERY: "1",
      ANTHROPIC_DEFAULT_HAIKU_MODEL: "demo-chat",
    });
  });

  it("give Claude Code the background model of the connection", () => {
    const files = filesOf("claude-code", { ...connection, backgroundModel: "claude-haiku-5-5" });
    const { env } = JSON.parse(files[".claude/settings.json"] ?? "");
    expect(env).toMatchObject({
      ANTHROPIC_MODEL: "demo-chat",
      ANTHROPIC_DEFAULT_HAIKU_MODEL: "claude-haiku-5-5",
    });
  });

  it("put Codex's root keys before its first table", () => {
    const text = filesOf("codex")[".codex/config.toml"] ?? "";
    expect(text.indexOf("model_provider =")).toBeLessThan(text.indexOf("[model_providers.gateway]"));
    expect(text).toContain('base_url = "https://gateway.example/v1"');
    expect(text).toContain('wire_api = "responses"');
  });

  it("let Codex read the catalogue for models that it does not know", () => {
    const discovery = "\n[features]\napi_key_model_discovery = true\n";
    const text = filesOf("codex")[".codex/config.toml"] ?? "";
    expect(text).toContain('model_catalog_url = "https://gateway.example/v1/models"\n');
    expect(text.endsWith(discovery)).toBe(true);
    const known = filesOf("codex", { ...connection, model: "gpt-5.6-sol" })[".codex/config.toml"] ?? "";
    expect(known).not.toMatch(/model_catalog_url|features/);
  });

  it("choose the kind of sign-in of Gemini CLI and Qwen Code", () => {
    const gemini = JSON.parse(filesOf("gemini-cli")[".gemini/settings.json"] ?? "");
    expect(gemini.security.auth.selectedType).toBe("gemini-api-key");
    expect(filesOf("gemini-cli")[".gemini/.env"]).toBe(
      "GEMINI_API_KEY=sk-abc123\nGOOGLE_GEMINI_BASE_URL=https://gateway.example\n",
    );
    const qwen = JSON.parse(filesOf("qwen-code")[".qwen/settings.json"] ?? "");
    expect(qwen.security.auth).toEqual({
      selectedType: "openai",
      apiKey: "sk-abc123",
      baseUrl: "https://gateway.example/v1",
    });
  });
});

describe("links into applications", () => {
  function linkOf(id: string, given = connection): string {
    const link = clientById(id)
      ?.parts(given)
      .find((part) => part.kind === "link");
    return link?.kind === "link" ? link.url : "";
  }

  it("give Cherry Studio the provider as base64", () => {
    const provider = {
      id: "gateway",
      name: "Gateway",
      type: "openai",
      baseUrl: "https://gateway.example",
      apiKey: "sk-abc123",
    };
    const data = encodeURIComponent(base64(JSON.stringify(provider)));
    expect(linkOf("cherry-studio")).toBe(`cherrystudio://providers/api-keys?v=1&data=${data}`);
    expect(asciiJson({ baseUrl: "https://网" })).toBe('{"baseUrl":"https://\\u7f51"}');
  });

  it("give CC Switch the application, the address of its dialect and the model", () => {
    expect(linkOf("codex")).toContain(
      "ccswitch://v1/import?resource=provider&app=codex&name=Gateway&homepage=https%3A%2F%2Fgateway.example" +
        "&endpoint=https%3A%2F%2Fgateway.example%2Fv1&apiKey=sk-abc123&model=demo-chat" +
        "&usageEnabled=true&usageBaseUrl=https%3A%2F%2Fgateway.example&usageAutoInterval=5&usageScript=",
    );
    // Three letters are four in base64.
    const begin = base64('({\n  request: {\n    url: "{{baseUrl}}/v1/usage').slice(0, 56);
    expect(linkOf("codex")).toContain(`&usageScript=${encodeURIComponent(begin)}`);
    expect(linkOf("claude-code")).toContain("&endpoint=https%3A%2F%2Fgateway.example&");
  });
});

describe("quoting", () => {
  it("quotes for each language", () => {
    expect(shellWord("plain/1.5:x")).toBe("plain/1.5:x");
    expect(shellWord("it's $HOME")).toBe(`'it'\\''s $HOME'`);
    expect(powershellWord("it's ’x")).toBe("'it''s ’’x'");
    expect(envValue("a b")).toBe("'a b'");
    expect(quoteJson("a\u007Fb")).toBe('"a\\u007Fb"');
  });

  it.each([
    ["", ""],
    ["a", "YQ=="],
    ["ab", "YWI="],
    ["abc", "YWJj"],
    ["abcd>?", "YWJjZD4/"],
    ["{}~\u0000", "e31+AA=="],
  ])("encodes %j as base64", (text, encoded) => {
    expect(base64(text)).toBe(encoded);
  });

  it("writes paths as the platform does", () => {
    const file = { path: ".codex/config.toml", base: "home" as const };
    expect(pathOn("Linux", file)).toBe("~/.codex/config.toml");
    expect(pathOn("Windows", file)).toBe("%USERPROFILE%\\.codex\\config.toml");
    expect(pathOn("Windows", { path: ".env", base: "application" })).toBe(".env");
  });
});
