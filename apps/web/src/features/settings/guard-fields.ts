/** Settings of failing channels, APIs of other providers, and forbidden words. */
import { phrase } from "#lib/i18n.ts";
import type { SettingSection } from "./section.ts";
import { units } from "./units.ts";

export const monitoringSection: SettingSection = {
  id: "monitoring",
  title: phrase("Monitoring"),
  help: "settings#monitoring-of-channels",
  fields: [
    {
      key: "AutomaticDisableChannelEnabled",
      kind: "switch",
      label: phrase("Disable failing channels"),
      hint: phrase("Only on evidence: a refused credential, an empty balance, or too many failures."),
    },
    {
      key: "DisableChannelKeywords",
      kind: "phrases",
      label: phrase("Error phrases that disable a key"),
      hint: phrase(
        "One per line. A provider error that contains one of them counts as a refused credential, whatever its status.",
      ),
    },
    {
      key: "AutomaticEnableChannelEnabled",
      kind: "switch",
      label: phrase("Enable them again when a test succeeds"),
      hint: phrase("Manually disabled channels stay disabled."),
    },
    {
      key: "ChannelTestFrequency",
      kind: "number",
      unit: units.minutes,
      label: phrase("Test all channels every"),
      hint: phrase("Each test is a short call that the provider bills. 0 = off."),
    },
    {
      key: "ChannelDisableThreshold",
      kind: "number",
      unit: units.seconds,
      label: phrase("Disable channels slower than"),
      hint: phrase("When two tests in a row take longer. 0 = off."),
    },
    {
      key: "ChannelUpdateFrequency",
      kind: "number",
      unit: units.minutes,
      label: phrase("Refresh all balances every"),
      hint: phrase("If the provider reports it. 0 = off."),
    },
    {
      key: "ModelListCheckHours",
      kind: "number",
      unit: units.hours,
      label: phrase("Check the model lists of providers every"),
      hint: phrase("You get a notification when a provider adds or removes models. 0 = off."),
    },
  ],
};

export const endpointsSection: SettingSection = {
  id: "doors",
  title: phrase("APIs of other providers"),
  help: "settings#dialects",
  hint: phrase(
    "Off: clients of that kind are refused with 403. OpenAI's Chat and Responses are always open.",
  ),
  fields: [
    {
      key: "ClaudeAPIEnabled",
      kind: "switch",
      label: phrase("Anthropic API"),
      hint: phrase("/v1/messages, its token counting, and everything under /claude."),
    },
    {
      key: "ResponsesWebSocketEnabled",
      kind: "switch",
      label: phrase("Responses over WebSocket"),
      hint: phrase("Codex uses it for /v1/responses. Off: clients use HTTP."),
    },
    {
      key: "GeminiAPIEnabled",
      kind: "switch",
      label: phrase("Gemini API"),
      hint: phrase("Google's addresses under /v1beta and /v1/models, and everything under /gemini."),
    },
  ],
};

export const keywordsSection: SettingSection = {
  id: "words",
  title: phrase("Blocked words"),
  help: "settings#blocked-words",
  hint: phrase(
    "Chats that contain them are refused before a request is sent. They cost nothing and appear in the log.",
  ),
  foldedBy: "EnableSafe",
  fields: [
    {
      key: "EnableSafe",
      kind: "switch",
      label: phrase("Check prompts"),
      hint: phrase("Only the user's messages are checked, not instructions or earlier responses."),
    },
    {
      key: "SafeKeyWords",
      kind: "phrases",
      label: phrase("Words and phrases"),
      hint: phrase("One per line. Case is ignored, and parts of words match."),
    },
  ],
};
