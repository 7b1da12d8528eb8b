/** Settings of editors and chat applications. Pure. */
import { type Connection, type Part, PROVIDER_ID } from "./connection.ts";
import { asciiJson, base64, envValue, powershellWord, quoteJson, shellWord } from "./quoting.ts";

export function cline({ baseUrl, model, key, contextWindow }: Connection): Part[] {
  return [
    {
      kind: "fields",
      where: ["Cline", "Settings", "API Configuration"],
      rows: [
        { name: "API Provider", value: "OpenAI Compatible" },
        { name: "Base URL", value: `${baseUrl}/v1` },
        { name: "API Key", value: key },
        { name: "Model ID", value: model },
        ...(contextWindow === undefined ? [] : [{ name: "Context Window Size", value: contextWindow }]),
      ],
    },
  ];
}

export function continueEditor({ baseUrl, model, key, contextWindow }: Connection): Part[] {
  return [
    {
      kind: "file",
      path: ".continue/config.yaml",
      base: "home",
      format: "yaml",
      content: `name: ${PROVIDER_ID}
version: 1.0.0
schema: v1
models:
  - name: ${quoteJson(model)}
    provider: openai
    model: ${quoteJson(model)}
    apiBase: ${quoteJson(`${baseUrl}/v1`)}
    apiKey: ${quoteJson(key)}
    roles: [chat, edit, apply]
${contextWindow === undefined ? "" : `    defaultCompletionOptions:\n      contextLength: ${contextWindow}\n`}`,
    },
  ];
}

export function cherryStudio(connection: Connection): Part[] {
  const { baseUrl, key, model } = connection;
  return [
    cherryStudioLink(connection),
    {
      kind: "fields",
      where: ["Settings", "Model Provider", "Add"],
      rows: [
        { name: "Provider Type", value: "OpenAI" },
        { name: "API Key", value: key },
        { name: "API Host", value: baseUrl },
        { name: "Model ID", value: model },
      ],
    },
  ];
}

/** Cherry Studio adds `/v1` to the address. Its decoder swaps "-" and "_", so the link has plain base64. */
function cherryStudioLink({ baseUrl, key }: Connection): Part {
  const provider = { id: PROVIDER_ID, name: "Gateway", type: "openai", baseUrl, apiKey: key };
  const data = encodeURIComponent(base64(asciiJson(provider)));
  return {
    kind: "link",
    application: "Cherry Studio",
    url: `cherrystudio://providers/api-keys?v=1&data=${data}`,
  };
}

export function openWebUi({ baseUrl, key }: Connection): Part[] {
  const base = `OPENAI_API_BASE_URL=${baseUrl}/v1`;
  const secret = `OPENAI_API_KEY=${key}`;
  const run = (word: (text: string) => string, join: string) =>
    [
      "docker run -d -p 3001:8080",
      `-e ${word(base)}`,
      `-e ${word(secret)}`,
      "-v open-webui:/app/backend/data --name open-webui ghcr.io/open-webui/open-webui:main",
    ].join(join);
  return [
    {
      kind: "fields",
      where: ["Admin Panel", "Settings", "Connections", "OpenAI API"],
      rows: [
        { name: "URL", value: `${baseUrl}/v1` },
        { name: "Key", value: key },
      ],
    },
    {
      kind: "command",
      does: "run",
      posix: run(shellWord, " \\\n  "),
      powershell: run(powershellWord, " `\n  "),
    },
  ];
}

export function libreChat({ baseUrl, model, key }: Connection): Part[] {
  return [
    {
      kind: "file",
      path: "librechat.yaml",
      base: "application",
      format: "yaml",
      content: `version: 1.2.1
endpoints:
  custom:
    - name: "Gateway"
      apiKey: "\${GATEWAY_API_KEY}"
      baseURL: ${quoteJson(`${baseUrl}/v1`)}
      models:
        default: [${quoteJson(model)}]
        fetch: true
      titleConvo: true
      titleModel: "current_model"
`,
    },
    {
      kind: "file",
      path: ".env",
      base: "application",
      format: "env",
      content: `GATEWAY_API_KEY=${envValue(key)}
`,
    },
  ];
}
