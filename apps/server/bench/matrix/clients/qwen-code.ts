import { join } from "node:path";
import type { Client } from "../client.ts";

/** https://qwenlm.github.io/qwen-code-docs, read 2026-11-23. */
export const qwenCode: Client = {
  id: "qwen-code",
  label: "Qwen Code",
  speaks: "Chat Completions",
  program: "qwen-code",
  bin: "qwen",
  command: ({ gateway, key, model, prompt, resume, home, contextWindow }) => ({
    args: ["--yolo", ...(resume ? ["--continue"] : []), "-p", prompt],
    env: { OPENAI_BASE_URL: `${gateway}/v1`, OPENAI_API_KEY: key, OPENAI_MODEL: model },
    files: {
      [join(home, ".qwen/settings.json")]: JSON.stringify({
        security: { auth: { selectedType: "openai" } },
        general: { disableAutoUpdate: true, enableAutoUpdate: false },
        privacy: { usageStatisticsEnabled: false },
        ...(contextWindow !== undefined && {
          model: { generationConfig: { contextWindowSize: contextWindow } },
        }),
      }),
    },
  }),
  read: (file_path) => ({ name: "read_file", input: { file_path } }),
  edit: (file_path, old_string, new_string) => ({
    name: "edit",
    input: { file_path, old_string, new_string },
  }),
  run: (command) => ({ name: "run_shell_command", input: { command, is_background: false } }),
  forgetsReads: true,
  countsSummary: true,
  // It compacts when fewer than 33,000 tokens are left.
  smallWindow: 62_000,
  delegate: (prompts) => [
    prompts.map((prompt, index) => ({
      name: "agent",
      input: { description: `Part ${index + 1}`, prompt, subagent_type: "general-purpose" },
    })),
  ],
};
