/** Settings of the demo provider, of request defaults, and of the wait for tasks. */
import { phrase } from "#lib/i18n.ts";
import type { SettingSection } from "./section.ts";
import { units } from "./units.ts";

export const demoSection: SettingSection = {
  id: "demo-provider",
  title: phrase("Demo provider"),
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
  title: phrase("What requests leave open"),
  hint: phrase(
    "For clients that use one provider's API while another provider answers. Clients that use the provider's own API set it there.",
  ),
  fields: [
    {
      key: "ModelAliases",
      kind: "json",
      label: phrase("Further names of models"),
      hint: phrase(
        'Models are also listed and called under these names, and billed under their own. Claude Code lists only names that contain "claude": {"claude-gpt-5": "gpt-5"}.',
      ),
    },
    {
      key: "ClaudeDefaultMaxTokens",
      kind: "json",
      label: phrase("Claude: longest answer"),
      hint: phrase(
        'Tokens by model, when the client names no limit. For example {"claude-opus-4-5": 32000, "default": 8192}.',
      ),
    },
    {
      key: "ClaudeBudgetTokensPercentage",
      kind: "decimal",
      label: phrase("Claude: share of it for thinking"),
      hint: phrase(
        "When the client wants thinking and names no measure. 0.8 is eighty percent; 0 lets the model decide, which only newer ones can.",
      ),
    },
    {
      key: "GeminiOpenThink",
      kind: "json",
      label: phrase("Gemini: show thoughts"),
      hint: phrase('By model, to clients who did not ask. For example {"gemini-2.5-pro": true}.'),
    },
  ],
};

export const taskSection: SettingSection = {
  id: "tasks",
  title: phrase("Tasks"),
  fields: [
    {
      key: "MjNotifyEnabled",
      kind: "switch",
      label: phrase("Call clients back when a task is finished"),
      hint: phrase(
        "At the address they gave, if it is public. They learn this server's address by it. Off: they ask themselves.",
      ),
    },
    {
      key: "TaskDeadlineMinutes",
      kind: "number",
      unit: units.minutes,
      label: phrase("A task may take"),
      hint: phrase("Then it counts as failed and is paid back. 0 is an hour, for Kling three."),
    },
  ],
};
