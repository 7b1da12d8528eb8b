/** Settings of the demo provider, of request defaults, and of the wait for tasks. */
import { phrase } from "#lib/i18n.ts";
import type { SettingSection } from "./section.ts";
import { units } from "./units.ts";

export const demoSection: SettingSection = {
  id: "demo-provider",
  title: phrase("Demo provider"),
  help: "providers#demo",
  fields: [
    {
      key: "DemoProviderEnabled",
      kind: "switch",
      label: phrase("Enable the demo provider"),
      hint: phrase(
        "A simulated provider that needs no key, for trying out calls. DEMO_UPSTREAM in the environment takes precedence. Turning it off takes effect after a restart.",
      ),
    },
  ],
};

export const translationSection: SettingSection = {
  id: "translation",
  title: phrase("Defaults for missing parameters"),
  help: "settings#request-defaults",
  hint: phrase(
    "For clients that use another dialect than the provider. Clients of the provider's own dialect set these values in the request.",
  ),
  fields: [
    {
      key: "ModelAliases",
      kind: "json",
      label: phrase("Model aliases"),
      hint: phrase(
        'Models are also listed and called under these names, and billed under their own. Claude Code lists only names that contain "claude": {"claude-gpt-5": "gpt-5"}.',
      ),
    },
    {
      key: "DisabledModels",
      kind: "phrases",
      label: phrase("Models disabled everywhere"),
      hint: phrase("Exact names, one per line. Their calls are refused on all channels."),
    },
    {
      key: "ClaudeDefaultMaxTokens",
      kind: "json",
      label: phrase("Claude: maximum output"),
      hint: phrase(
        'Tokens per model when the client sets no limit. For example {"claude-opus-4-5": 32000, "default": 8192}.',
      ),
    },
    {
      key: "ClaudeBudgetTokensPercentage",
      kind: "decimal",
      label: phrase("Claude: share of the maximum output for thinking"),
      hint: phrase(
        "Used when the client requests thinking without a budget. 0.8 is 80 %. 0 lets the model decide, which only newer models support.",
      ),
    },
    {
      key: "GeminiOpenThink",
      kind: "json",
      label: phrase("Gemini: show thoughts"),
      hint: phrase('Per model, for clients that do not request them. For example {"gemini-2.5-pro": true}.'),
    },
  ],
};

export const taskSection: SettingSection = {
  id: "tasks",
  title: phrase("Tasks"),
  help: "settings#tasks",
  fields: [
    {
      key: "MjNotifyEnabled",
      kind: "switch",
      label: phrase("Call clients back when a task is finished"),
      hint: phrase(
        "Sent to the address in the request, if it is public. This reveals the address of this server. Off: clients must poll.",
      ),
    },
    {
      key: "TaskDeadlineMinutes",
      kind: "number",
      unit: units.minutes,
      label: phrase("Task timeout"),
      hint: phrase("After it, the task fails and is refunded. 0 = one hour, for Kling three."),
    },
  ],
};
