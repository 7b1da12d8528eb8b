import { join } from "node:path";
import type { Client } from "../client.ts";

/** https://geminicli.com/docs/reference/configuration, read 2026-11-23. */
export const geminiCli: Client = {
  id: "gemini-cli",
  label: "Gemini CLI",
  speaks: "Gemini",
  program: "gemini-cli",
  bin: "gemini",
  command: ({ gateway, key, model, prompt, resume, home, contextWindow }) => ({
    args: ["--yolo", "--skip-trust", "-m", model, ...(resume ? ["--resume", "latest"] : []), "-p", prompt],
    env: { GOOGLE_GEMINI_BASE_URL: gateway, GEMINI_API_KEY: key, GEMINI_CLI_HOME: home },
    files: {
      [join(home, ".gemini/settings.json")]: JSON.stringify({
        security: { auth: { selectedType: "gemini-api-key" } },
        modelConfigs: { customAliases: { "chat-compression-default": { modelConfig: { model } } } },
        general: { enableAutoUpdate: false, enableAutoUpdateNotification: false },
        privacy: { usageStatisticsEnabled: false },
        // The threshold is a share of the window, which is a million tokens for every model.
        ...(contextWindow !== undefined && { model: { compressionThreshold: 0.005 } }),
      }),
    },
  }),
  read: (file_path) => ({ name: "read_file", input: { file_path } }),
  edit: (file_path, old_string, new_string) => ({
    name: "replace",
    input: { file_path, instruction: "Finish the notes", old_string, new_string },
  }),
  run: (command) => ({ name: "run_shell_command", input: { command } }),
  compactsBetweenPrompts: true,
  smallWindow: 30_000,
  delegate: (prompts) => [
    prompts.map((prompt) => ({ name: "invoke_agent", input: { agent_name: "generalist", prompt } })),
  ],
};
