/** Settings of failing channels, APIs of other providers, and forbidden words. */
import { phrasesIn } from "#lib/i18n.ts";
import type { SettingSection } from "./section.ts";
import { units } from "./units.ts";

const phrase = phrasesIn("settings");

export const monitoringSection: SettingSection = {
  id: "monitoring",
  title: phrase("Monitoring"),
  help: "settings#monitoring-of-channels",
  fields: [
    {
      key: "AutomaticDisableChannelEnabled",
      kind: "switch",
      label: phrase("Disable failing channels automatically"),
      hint: phrase(
        "A channel is disabled when its provider rejects the credential, its balance is empty, or too many calls fail.",
      ),
    },
    {
      key: "DisableChannelKeywords",
      kind: "phrases",
      label: phrase("Error phrases that disable a key"),
      hint: phrase(
        "One per line. A provider error that contains one of these phrases counts as a rejected credential, regardless of its status.",
      ),
    },
    {
      key: "AutomaticEnableChannelEnabled",
      kind: "switch",
      label: phrase("Enable channels again when a test succeeds"),
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
      hint: phrase("A channel is disabled when two consecutive tests take longer. 0 = off."),
    },
    {
      key: "ChannelUpdateFrequency",
      kind: "number",
      unit: units.minutes,
      label: phrase("Refresh all balances every"),
      hint: phrase("Only for providers that report a balance. 0 = off."),
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
  title: phrase("Client APIs"),
  help: "settings#dialects",
  hint: phrase(
    "Requests to a disabled API are refused with status 403. OpenAI's Chat Completions and Responses APIs are always enabled.",
  ),
  fields: [
    {
      key: "ClaudeAPIEnabled",
      kind: "switch",
      label: phrase("Anthropic API"),
      hint: phrase("/v1/messages, token counting, and all paths under /claude."),
    },
    {
      key: "ResponsesWebSocketEnabled",
      kind: "switch",
      label: phrase("Responses over WebSocket"),
      hint: phrase("Codex uses it for /v1/responses. When off, clients use HTTP."),
    },
    {
      key: "GeminiAPIEnabled",
      kind: "switch",
      label: phrase("Gemini API"),
      hint: phrase("Google's paths under /v1beta and /v1/models, and all paths under /gemini."),
    },
  ],
};

export const keywordsSection: SettingSection = {
  id: "words",
  title: phrase("Blocked words"),
  help: "settings#blocked-words",
  hint: phrase(
    "Requests that contain a blocked word are refused before they reach a provider. They cost nothing and appear in the log.",
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
