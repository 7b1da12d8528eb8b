/** Settings of coding agents that run in a terminal. Pure. */
import { codexKnows } from "./codex-models.ts";
import { type Connection, type Part, PROVIDER_ID, type ClientSettingsFile } from "./connection.ts";
import { base64, envValue, jsonFile, quoteJson } from "./quoting.ts";
import { statusScript } from "./status-script.ts";

/**
 * Input tokens that are assumed of a model without a description, where the client itself would assume more. Most
 * models accept at least these.
 */
const ASSUMED_WINDOW = "128000";

/** Claude Code knows the sizes of Claude's models, whatever a gateway adds to their names. */
const isClaude = (model: string) => /claude|^(?:opus|sonnet|haiku)\b/i.test(model);

export function claudeCode({
  baseUrl,
  model,
  key,
  contextWindow,
  backgroundModel = model,
}: Connection): ClientSettingsFile[] {
  const window = contextWindow ?? (isClaude(model) ? undefined : ASSUMED_WINDOW);
  return [
    {
      kind: "file",
      path: ".claude/settings.json",
      base: "home",
      format: "json",
      content: jsonFile({
        env: {
          ANTHROPIC_BASE_URL: baseUrl,
          ANTHROPIC_AUTH_TOKEN: key,
          ANTHROPIC_MODEL: model,
          // The size that it assumes for names that it does not know is too large for most models.
          ...(window !== undefined && { CLAUDE_CODE_MAX_CONTEXT_TOKENS: window }),
          // Lists the gateway's models whose name contains "claude".
          CLAUDE_CODE_ENABLE_GATEWAY_MODEL_DISCOVERY: "1",
          // Calls in the background. Its default is a model that this gateway may not have.
          ANTHROPIC_DEFAULT_HAIKU_MODEL: backgroundModel,
        },
        statusLine: {
          type: "command",
          command: 'sh "${CLAUDE_CONFIG_DIR:-$HOME/.claude}/gateway-status.sh"',
        },
      }),
      removes: ["env.ANTHROPIC_API_KEY", "env.ANTHROPIC_SMALL_FAST_MODEL", "apiKeyHelper"],
      keeps: ["statusLine"],
    },
    {
      kind: "file",
      path: ".claude/gateway-status.sh",
      base: "home",
      format: "sh",
      content: statusScript({ baseUrl, key }),
    },
  ];
}

export function codex({ baseUrl, model, key, contextWindow }: Connection): ClientSettingsFile[] {
  // Codex requests its model list only with both settings. The list replaces its own, which is better for the
  // models in it.
  const knows = codexKnows(model);
  const catalogue = knows ? "" : `model_catalog_url = ${quoteJson(`${baseUrl}/v1/models`)}\n`;
  const features = knows ? "" : "\n[features]\napi_key_model_discovery = true\n";
  return [
    {
      kind: "file",
      path: ".codex/config.toml",
      base: "home",
      format: "toml",
      content: `model = ${quoteJson(model)}
model_provider = ${quoteJson(PROVIDER_ID)}
${contextWindow === undefined ? "" : `model_context_window = ${contextWindow}\n`}
[model_providers.${PROVIDER_ID}]
name = "Gateway"
base_url = ${quoteJson(`${baseUrl}/v1`)}
wire_api = "responses"
experimental_bearer_token = ${quoteJson(key)}
${catalogue}${features}`,
    },
  ];
}

export function geminiCli({ baseUrl, model, key }: Connection): ClientSettingsFile[] {
  return [
    {
      kind: "file",
      path: ".gemini/settings.json",
      base: "home",
      format: "json",
      content: jsonFile({
        security: { auth: { selectedType: "gemini-api-key" } },
        model: { name: model },
        // Its calls in the background, of which the first compacts a session. Their defaults are models that
        // this gateway may not have.
        modelConfigs: {
          customAliases: {
            "chat-compression-default": { modelConfig: { model } },
            "gemini-3-flash-base": { extends: "base", modelConfig: { model } },
            "summarizer-default": { extends: "base", modelConfig: { model } },
            "summarizer-shell": { extends: "base", modelConfig: { model } },
            "edit-corrector": { extends: "base", modelConfig: { model } },
          },
        },
      }),
    },
    {
      kind: "file",
      path: ".gemini/.env",
      base: "home",
      format: "env",
      content: `GEMINI_API_KEY=${envValue(key)}
GOOGLE_GEMINI_BASE_URL=${envValue(baseUrl)}
`,
    },
  ];
}

export function opencode({ baseUrl, model, key }: Connection): ClientSettingsFile[] {
  return [
    {
      kind: "file",
      path: ".config/opencode/opencode.json",
      base: "home",
      format: "json",
      content: jsonFile({
        $schema: "https://opencode.ai/config.json",
        provider: {
          [PROVIDER_ID]: {
            npm: "@ai-sdk/openai-compatible",
            name: "Gateway",
            options: { baseURL: `${baseUrl}/v1`, apiKey: key },
            models: { [model]: {} },
          },
        },
        model: `${PROVIDER_ID}/${model}`,
      }),
    },
  ];
}

export function qwenCode({ baseUrl, model, key }: Connection): ClientSettingsFile[] {
  return [
    {
      kind: "file",
      path: ".qwen/settings.json",
      base: "home",
      format: "json",
      content: jsonFile({
        security: { auth: { selectedType: "openai", apiKey: key, baseUrl: `${baseUrl}/v1` } },
        model: { name: model },
      }),
    },
  ];
}

/** https://github.com/earendil-works/pi, packages/coding-agent/docs/models.md and settings.md. */
export function pi({ baseUrl, model, key, contextWindow }: Connection): ClientSettingsFile[] {
  return [
    {
      kind: "file",
      path: ".pi/agent/models.json",
      base: "home",
      format: "json",
      content: `{
  "providers": {
    ${quoteJson(PROVIDER_ID)}: {
      "baseUrl": ${quoteJson(`${baseUrl}/v1`)},
      "api": "openai-completions",
      "apiKey": ${quoteJson(key)},
      "models": [
        {
          ${contextWindow === undefined ? "" : `"contextWindow": ${contextWindow},\n          `}"id": ${quoteJson(model)}
        }
      ]
    }
  }
}
`,
    },
    {
      kind: "file",
      path: ".pi/agent/settings.json",
      base: "home",
      format: "json",
      content: jsonFile({ defaultProvider: PROVIDER_ID, defaultModel: model }),
    },
  ];
}

/** Reads `GET /v1/usage`: https://github.com/farion1231/cc-switch, read 2026-11-29. */
const usageScript = `({
  request: {
    url: "{{baseUrl}}/v1/usage",
    method: "GET",
    headers: { Authorization: "Bearer {{apiKey}}" },
  },
  extractor: function (response) {
    return {
      isValid: response.isValid,
      planName: response.planName,
      remaining: response.remaining,
      used: response.used,
      total: response.total,
      unit: response.unit,
    };
  },
})`;

/** CC Switch keeps the settings of several providers. It opens links of this form and shows what it will save. */
export function ccSwitchLink(app: "claude" | "codex" | "gemini", { baseUrl, model, key }: Connection): Part {
  const fields = {
    resource: "provider",
    app,
    name: "Gateway",
    homepage: baseUrl,
    endpoint: app === "codex" ? `${baseUrl}/v1` : baseUrl,
    apiKey: key,
    model,
    // It shows in its list what the key may still spend.
    usageEnabled: "true",
    usageBaseUrl: baseUrl,
    usageAutoInterval: "5",
    usageScript: base64(usageScript),
  };
  const query = Object.entries(fields).map(([name, value]) => `${name}=${encodeURIComponent(value)}`);
  return { kind: "link", application: "CC Switch", url: `ccswitch://v1/import?${query.join("&")}` };
}
