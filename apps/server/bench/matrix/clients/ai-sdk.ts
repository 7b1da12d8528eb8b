import { join } from "node:path";
import type { Client } from "../client.ts";

/** https://ai-sdk.dev/docs, read 2026-11-23. */
function aiSdk(dialect: string, speaks: string, whole = false): Client {
  return {
    id: `ai-sdk-${dialect}${whole ? "-whole" : ""}`,
    label: "Vercel AI SDK",
    speaks: whole ? `${speaks}, not streamed` : speaks,
    program: "ai-sdk",
    bin: "node",
    command: ({ gateway, key, model, prompt }) => ({
      args: [
        join(import.meta.dirname, "../ai-sdk-agent.ts"),
        `--dialect=${dialect}`,
        ...(whole ? ["--whole"] : []),
        `--gateway=${gateway}`,
        `--key=${key}`,
        `--model=${model}`,
        `--prompt=${prompt}`,
      ],
    }),
    read: (path) => ({ name: "read", input: { path } }),
    edit: (path, before, after) => ({ name: "edit", input: { path, before, after } }),
    run: (command) => ({ name: "run", input: { command } }),
    lacks: {
      agents: "A library has no agents.",
      compaction: "A library has no sessions.",
      resume: "A library has no sessions.",
      ...(whole && { cancel: "The answer is not streamed." }),
    },
  };
}

export const aiSdkClients: readonly Client[] = [
  aiSdk("chat", "Chat Completions"),
  aiSdk("responses", "Responses"),
  aiSdk("messages", "Messages"),
  aiSdk("gemini", "Gemini"),
  aiSdk("chat", "Chat Completions", true),
  aiSdk("responses", "Responses", true),
  aiSdk("messages", "Messages", true),
  aiSdk("gemini", "Gemini", true),
];
