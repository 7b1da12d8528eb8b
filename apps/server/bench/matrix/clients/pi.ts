import { join } from "node:path";
import type { Client } from "../client.ts";

/** https://github.com/earendil-works/pi, packages/coding-agent/docs/models.md; run with 1.6.0 on 2026-11-29. */
function pi(id: string, speaks: string, api: string, path: string): Client {
  return {
    id,
    label: "pi",
    speaks,
    program: "pi",
    bin: "pi",
    command: ({ gateway, key, model, prompt, resume, home, contextWindow }) => ({
      args: ["-p", "--provider", "gateway", "--model", model, ...(resume ? ["--continue"] : []), prompt],
      env: { PI_OFFLINE: "1", PI_TELEMETRY: "0", PI_CODING_AGENT_DIR: join(home, ".pi/agent") },
      files: {
        [join(home, ".pi/agent/models.json")]: JSON.stringify({
          providers: {
            gateway: {
              baseUrl: gateway + path,
              api,
              apiKey: key,
              models: [
                {
                  id: model,
                  contextWindow: contextWindow ?? 200_000,
                  maxTokens: 8_000,
                },
              ],
            },
          },
        }),
        ...(contextWindow !== undefined && {
          // By default it keeps the last 20,000 tokens, more than the whole task has.
          [join(home, ".pi/agent/settings.json")]: JSON.stringify({
            compaction: { enabled: true, keepRecentTokens: 1_000 },
          }),
        }),
      },
    }),
    read: (path) => ({ name: "read", input: { path } }),
    edit: (path, oldText, newText) => ({ name: "edit", input: { path, edits: [{ oldText, newText }] } }),
    run: (command) => ({ name: "bash", input: { command } }),
    compactsBetweenPrompts: true,
    smallWindow: 40_000,
    lacks: { agents: "pi has no sub-agents." },
  };
}

export const piChat = pi("pi-chat", "Chat Completions", "openai-completions", "/v1");
export const piResponses = pi("pi-responses", "Responses", "openai-responses", "/v1");
export const piMessages = pi("pi-messages", "Messages", "anthropic-messages", "");
export const piGemini = pi("pi-gemini", "Gemini", "google-generative-ai", "/v1beta");
