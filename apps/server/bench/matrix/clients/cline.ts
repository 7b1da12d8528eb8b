import { join } from "node:path";
import type { Client } from "../client.ts";

/** https://docs.cline.bot/cline-cli, read 2026-11-23. */
export const cline: Client = {
  id: "cline",
  label: "Cline",
  speaks: "Chat Completions",
  program: "cline",
  bin: "cline",
  command: ({ gateway, key, model, prompt, home, contextWindow }) => {
    const folder = ["--data-dir", join(home, "data"), "--config", join(home, "config")];
    return {
      before: [["auth", "-p", "openai", "-k", key, "-m", model, "-b", `${gateway}/v1`, ...folder]],
      args: ["--auto-approve", "true", ...folder, prompt],
      env: { CLINE_NO_AUTO_UPDATE: "1", CLINE_TELEMETRY_DISABLED: "1" },
      files: {
        ...(contextWindow !== undefined && {
          // `cline auth` keeps what is already in its settings.
          [join(home, "data/settings/providers.json")]: JSON.stringify({
            version: 1,
            providers: {
              "openai-compatible": {
                settings: { provider: "openai-compatible", contextWindow },
                updatedAt: new Date(0).toISOString(),
              },
            },
          }),
        }),
      },
    };
  },
  read: (path) => ({ name: "read_files", input: { files: [{ path }] } }),
  edit: (path, old_text, new_text) => ({ name: "editor", input: { path, old_text, new_text } }),
  run: (command) => ({ name: "run_commands", input: { commands: [command] } }),
  delegate: (prompts) => [
    prompts.map((task) => ({
      name: "spawn_agent",
      input: { systemPrompt: "You read files and report what is in them.", task },
    })),
  ],
  smallWindow: 40_000,
  lacks: { resume: "It continues a session only in its terminal interface." },
};
