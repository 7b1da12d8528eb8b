import { join } from "node:path";
import type { Client } from "../client.ts";

/** https://docs.claude.com/en/docs/claude-code/settings, read 2026-11-23. */
export const claudeCode: Client = {
  id: "claude-code",
  label: "Claude Code",
  speaks: "Messages",
  program: "claude-code",
  bin: "claude",
  command: ({ gateway, key, model, prompt, resume, home, contextWindow }) => ({
    args: [
      "-p",
      prompt,
      ...(resume ? ["--continue"] : []),
      "--permission-mode",
      "acceptEdits",
      "--allowedTools",
      "Read,Edit,Bash,Agent,Task",
    ],
    env: {
      ANTHROPIC_BASE_URL: gateway,
      ANTHROPIC_AUTH_TOKEN: key,
      ANTHROPIC_MODEL: model,
      ANTHROPIC_SMALL_FAST_MODEL: model,
      ANTHROPIC_DEFAULT_HAIKU_MODEL: model,
      ANTHROPIC_DEFAULT_SONNET_MODEL: model,
      ANTHROPIC_DEFAULT_OPUS_MODEL: model,
      CLAUDE_CONFIG_DIR: join(home, ".claude"),
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
      DISABLE_AUTOUPDATER: "1",
      DISABLE_TELEMETRY: "1",
      ...(contextWindow !== undefined && { CLAUDE_CODE_AUTO_COMPACT_WINDOW: `${contextWindow}` }),
    },
  }),
  read: (file_path) => ({ name: "Read", input: { file_path } }),
  edit: (file_path, old_string, new_string) => ({
    name: "Edit",
    input: { file_path, old_string, new_string },
  }),
  run: (command) => ({ name: "Bash", input: { command, description: "Copy the file" } }),
  delegate: (prompts) => [
    prompts.map((prompt, index) => ({
      name: "Agent",
      input: { description: `Part ${index + 1}`, prompt, subagent_type: "general-purpose" },
    })),
  ],
};
