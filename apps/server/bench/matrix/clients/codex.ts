import { join } from "node:path";
import type { Client } from "../client.ts";

/** https://developers.openai.com/codex/config-reference, read 2026-11-23. */
function codex(id: string, speaks: string, webSockets: boolean): Client {
  return {
    id,
    label: "Codex",
    speaks,
    program: "codex",
    bin: "codex",
    command: ({ gateway, key, model, prompt, resume, home, contextWindow }) => ({
      args: [
        "exec",
        ...(resume ? ["resume", "--last"] : []),
        "--skip-git-repo-check",
        "--dangerously-bypass-approvals-and-sandbox",
        prompt,
      ],
      env: { CODEX_HOME: join(home, ".codex"), GATEWAY_KEY: key },
      files: {
        [join(home, ".codex/config.toml")]: `
model = "${model}"
model_provider = "gateway"
check_for_update_on_startup = false
${contextWindow === undefined ? "" : `model_auto_compact_token_limit = ${contextWindow / 2}`}
[model_providers.gateway]
name = "gateway"
base_url = "${gateway}/v1"
env_key = "GATEWAY_KEY"
wire_api = "responses"
supports_websockets = ${webSockets}
model_catalog_url = "${gateway}/v1/models"
[features]
api_key_model_discovery = true
[analytics]
enabled = false
`,
      },
    }),
    read: (path) => ({ name: "exec_command", input: { cmd: `cat ${path}` } }),
    edit: (path, before, after) => ({
      name: "exec_command",
      input: {
        cmd: `apply_patch <<'EOF'\n*** Begin Patch\n*** Update File: ${path}\n@@\n-${before}\n+${after}\n*** End Patch\nEOF`,
      },
    }),
    run: (cmd) => ({ name: "exec_command", input: { cmd } }),
    delegate: (prompts) => [
      prompts.map((message) => ({ name: "spawn_agent", input: { message } })),
      // One wait ends with the first of its agents, so each agent has a wait of its own.
      prompts.map((_, index) => ({
        name: "wait_agent",
        input: (results) => ({ targets: agentIds(results[index] ?? ""), timeout_ms: 30_000 }),
      })),
    ],
  };
}

function agentIds(result: string): string[] {
  return [...result.matchAll(/"agent_id"\s*:\s*"([^"]+)"/g)].flatMap(([, id]) => id ?? []);
}

export const codexHttp = codex("codex", "Responses", false);
export const codexWebSocket = codex("codex-websocket", "Responses over WebSocket", true);
