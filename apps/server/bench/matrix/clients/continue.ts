import { join } from "node:path";
import type { Client } from "../client.ts";

/** https://docs.continue.dev/reference, read 2026-11-23. */
export const continueCli: Client = {
  id: "continue",
  label: "Continue",
  speaks: "Chat Completions",
  program: "continue",
  bin: "cn",
  command: ({ gateway, key, model, prompt, resume, home, contextWindow }) => ({
    args: ["-p", "--auto", "--config", join(home, "config.yaml"), ...(resume ? ["--resume"] : []), prompt],
    env: { CONTINUE_GLOBAL_DIR: join(home, ".continue"), CONTINUE_TELEMETRY_ENABLED: "0" },
    files: {
      [join(home, "config.yaml")]: `name: gateway
version: 1.0.0
schema: v1
models:
  - name: ${model}
    provider: openai
    model: ${model}
    apiBase: ${gateway}/v1
    apiKey: ${key}
    roles: [chat, edit, apply]
    capabilities: [tool_use]
    defaultCompletionOptions:
      contextLength: ${contextWindow ?? 200_000}
      maxTokens: 8000
`,
    },
  }),
  read: (filepath) => ({ name: "Read", input: { filepath } }),
  edit: (file_path, old_string, new_string) => ({
    name: "Edit",
    input: { file_path, old_string, new_string },
    // Continue offers the one or the other, by the name of the model.
    otherwise: { name: "MultiEdit", input: { file_path, edits: [{ old_string, new_string }] } },
  }),
  run: (command) => ({ name: "Bash", input: { command } }),
  forgetsReads: true,
  countsTokens: true,
  smallWindow: 32_000,
  lacks: { agents: "Its sub-agents need its terminal interface." },
};
