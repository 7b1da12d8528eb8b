/** The clients that can be connected, with their commands and settings files. One line per client. */
import { ccSwitchLink, claudeCode, codex, geminiCli, opencode, pi, qwenCode } from "./agents.ts";
import { cherryStudio, cline, continueEditor, libreChat, openWebUi } from "./applications.ts";
import { type SampleClient, sampleCode } from "./client-sample-code.ts";
import type { Connection, Part, Pitfall, ClientSettingsFile } from "./connection.ts";
import { powershellWord, quoteJson, shellWord } from "./quoting.ts";

export type ClientKind = "agent" | "editor" | "chat" | "library";

/** How the client calls the gateway. The installer tests the connection in the same way. */
export type ClientDialect = "openai-chat" | "openai-responses" | "anthropic" | "gemini";

export type Client = {
  id: string;
  name: string;
  kind: ClientKind;
  /** Name of the logo. */
  icon: string;
  dialect: ClientDialect;
  /** In the order of the steps. */
  parts: (connection: Connection) => Part[];
  pitfalls: readonly Pitfall[];
  /** The program that starts the client. */
  command?: string;
  /** The files that the installer writes; without it, the client is connected by hand. */
  files?: (connection: Connection) => ClientSettingsFile[];
};

type Agent = Omit<Client, "kind" | "parts" | "files"> & {
  npm: string;
  command: string;
  files: (connection: Connection) => ClientSettingsFile[];
  link?: (connection: Connection) => Part;
};

/** An agent is installed from npm, reads its settings files and starts with a command. */
function agent({ npm, command, link, ...client }: Agent): Client {
  const install = `npm install -g ${npm}`;
  return {
    ...client,
    kind: "agent",
    command,
    parts: (connection) => [
      { kind: "command", does: "install", posix: install, powershell: install },
      installerPart(client.id, connection),
      ...client.files(connection),
      { kind: "command", does: "start", posix: command, powershell: command },
      ...(link === undefined ? [] : [link(connection)]),
    ],
  };
}

/** The script of the gateway that writes the settings. It asks for the key, which is never in a command. */
function installerPart(id: string, { baseUrl, model }: Connection): Part {
  return {
    kind: "command",
    does: "connect",
    posix: `curl -fsSL ${shellWord(`${baseUrl}/install.sh`)} | sh -s -- ${id} --model ${shellWord(model)}`,
    powershell: `& ([scriptblock]::Create((irm ${powershellWord(`${baseUrl}/install.ps1`)}))) ${id} -Model ${powershellWord(model)}`,
  };
}

const packages: Record<SampleClient, { Python: string; TypeScript: string }> = {
  OpenAI: { Python: "pip install openai", TypeScript: "npm install openai" },
  Anthropic: { Python: "pip install anthropic", TypeScript: "npm install @anthropic-ai/sdk" },
  Gemini: { Python: "pip install google-genai", TypeScript: "npm install @google/genai" },
};

function library(sample: SampleClient, client: Omit<Client, "kind" | "parts">): Client {
  return {
    ...client,
    kind: "library",
    parts: ({ baseUrl, model, key }) =>
      (["Python", "TypeScript"] as const).map((language) => ({
        kind: "code",
        language,
        install: packages[sample][language],
        content: sampleCode(sample, language, { address: baseUrl, model, apiKey: key }),
      })),
  };
}

function curlParts({ baseUrl, model, key }: Connection): Part[] {
  const body = `{"model": ${quoteJson(model)}, "messages": [{"role": "user", "content": "Hello"}]}`;
  return [
    {
      kind: "command",
      does: "run",
      posix: sampleCode("OpenAI", "curl", { address: baseUrl, model, apiKey: key }),
      powershell: [
        `$headers = @{ Authorization = ${quoteJson(`Bearer ${key}`).replaceAll("$", "`$")} }`,
        "$body = @'",
        body,
        "'@",
        `Invoke-RestMethod -Method Post -Uri ${shellWord(`${baseUrl}/v1/chat/completions`)} \``,
        "  -Headers $headers -ContentType application/json -Body $body",
      ].join("\n"),
    },
  ];
}

export const clients: readonly [Client, ...Client[]] = [
  agent({
    id: "claude-code",
    name: "Claude Code",
    icon: "claude",
    dialect: "anthropic",
    npm: "@anthropic-ai/claude-code",
    command: "claude",
    files: claudeCode,
    link: (connection) => ccSwitchLink("claude", connection),
    pitfalls: ["no-v1", "one-credential", "background-model", "claude-names"],
  }),
  agent({
    id: "codex",
    name: "Codex",
    icon: "openai",
    dialect: "openai-responses",
    npm: "@openai/codex",
    command: "codex",
    files: codex,
    link: (connection) => ccSwitchLink("codex", connection),
    pitfalls: ["with-v1", "responses-only", "root-keys-first"],
  }),
  agent({
    id: "gemini-cli",
    name: "Gemini CLI",
    icon: "gemini",
    dialect: "gemini",
    npm: "@google/gemini-cli",
    command: "gemini",
    files: geminiCli,
    link: (connection) => ccSwitchLink("gemini", connection),
    pitfalls: ["no-v1", "selected-type", "project-env"],
  }),
  agent({
    id: "opencode",
    name: "opencode",
    icon: "opencode",
    dialect: "openai-chat",
    npm: "opencode-ai",
    command: "opencode",
    files: opencode,
    pitfalls: ["with-v1"],
  }),
  agent({
    id: "qwen-code",
    name: "Qwen Code",
    icon: "qwen",
    dialect: "openai-chat",
    npm: "@qwen-code/qwen-code",
    command: "qwen",
    files: qwenCode,
    pitfalls: ["with-v1", "selected-type"],
  }),
  agent({
    id: "pi",
    name: "pi",
    icon: "pi",
    dialect: "openai-chat",
    npm: "@earendil-works/pi-coding-agent",
    command: "pi",
    files: pi,
    pitfalls: ["with-v1"],
  }),
  {
    id: "cline",
    name: "Cline",
    kind: "editor",
    icon: "cline",
    dialect: "openai-chat",
    parts: cline,
    pitfalls: ["with-v1"],
  },
  {
    id: "continue",
    // Not "Continue" alone, which is also a text of the console.
    name: "Continue.dev",
    kind: "editor",
    icon: "continue",
    dialect: "openai-chat",
    parts: continueEditor,
    pitfalls: ["with-v1"],
  },
  {
    id: "cherry-studio",
    name: "Cherry Studio",
    kind: "chat",
    icon: "cherrystudio",
    dialect: "openai-chat",
    parts: cherryStudio,
    pitfalls: ["host-without-path"],
  },
  {
    id: "open-webui",
    name: "Open WebUI",
    kind: "chat",
    icon: "openwebui",
    dialect: "openai-chat",
    parts: openWebUi,
    pitfalls: ["with-v1", "host-of-container"],
  },
  {
    id: "librechat",
    name: "LibreChat",
    kind: "chat",
    icon: "librechat",
    dialect: "openai-chat",
    parts: libreChat,
    pitfalls: ["with-v1", "host-of-container", "restart"],
  },
  library("OpenAI", {
    id: "openai-sdk",
    name: "OpenAI SDK",
    icon: "openai",
    dialect: "openai-chat",
    pitfalls: ["with-v1", "key-in-code"],
  }),
  library("Anthropic", {
    id: "anthropic-sdk",
    name: "Anthropic SDK",
    icon: "anthropic",
    dialect: "anthropic",
    pitfalls: ["no-v1", "key-in-code"],
  }),
  library("Gemini", {
    id: "google-sdk",
    name: "Google Gen AI SDK",
    icon: "google",
    dialect: "gemini",
    pitfalls: ["no-v1", "key-in-code"],
  }),
  {
    id: "curl",
    name: "curl",
    kind: "library",
    icon: "curl",
    dialect: "openai-chat",
    parts: curlParts,
    pitfalls: ["with-v1"],
  },
];

export function clientById(id: string): Client | undefined {
  return clients.find((client) => client.id === id);
}
