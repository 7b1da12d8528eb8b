import { join } from "node:path";
import type { Client } from "../client.ts";

/** https://opencode.ai/docs/providers, read 2026-11-23. The libraries of the providers are part of the program. */
function opencode(id: string, speaks: string, npm: string): Client {
  return {
    id,
    label: "opencode",
    speaks,
    program: "opencode",
    bin: "opencode",
    command: ({ gateway, key, model, prompt, resume, home, contextWindow }) => ({
      args: ["run", "--auto", ...(resume ? ["--continue"] : []), prompt],
      env: {
        GATEWAY_KEY: key,
        OPENCODE_CONFIG: join(home, "opencode.json"),
        OPENCODE_DISABLE_AUTOUPDATE: "1",
        OPENCODE_DISABLE_MODELS_FETCH: "1",
        OPENCODE_DISABLE_LSP_DOWNLOAD: "1",
        XDG_CONFIG_HOME: join(home, ".config"),
        XDG_DATA_HOME: join(home, ".local/share"),
        XDG_CACHE_HOME: join(home, ".cache"),
        XDG_STATE_HOME: join(home, ".local/state"),
      },
      files: {
        [join(home, "opencode.json")]: JSON.stringify({
          autoupdate: false,
          share: "disabled",
          permission: "allow",
          provider: {
            gateway: {
              npm,
              name: "Gateway",
              options: { baseURL: `${gateway}/v1`, apiKey: "{env:GATEWAY_KEY}" },
              models: {
                [model]: {
                  limit: { context: contextWindow ?? 200_000, output: 8_000 },
                },
              },
            },
          },
          model: `gateway/${model}`,
          small_model: `gateway/${model}`,
        }),
      },
    }),
    read: (filePath) => ({ name: "read", input: { filePath } }),
    edit: (filePath, oldString, newString) => ({ name: "edit", input: { filePath, oldString, newString } }),
    run: (command) => ({ name: "bash", input: { command, description: "Copies the file" } }),
    delegate: (prompts) => [
      prompts.map((prompt, index) => ({
        name: "task",
        input: { description: `Part ${index + 1}`, prompt, subagent_type: "general" },
      })),
    ],
  };
}

export const opencodeChat = opencode("opencode-chat", "Chat Completions", "@ai-sdk/openai-compatible");
export const opencodeResponses = opencode("opencode-responses", "Responses", "@ai-sdk/openai");
export const opencodeMessages = opencode("opencode-messages", "Messages", "@ai-sdk/anthropic");
