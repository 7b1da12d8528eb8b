/** Settings of the demo provider, of request defaults, of the web search, and of the wait for tasks. */
import { phrasesIn } from "#lib/i18n.ts";
import type { SettingSection } from "./section.ts";
import { units } from "./units.ts";

const phrase = phrasesIn("settings");

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
  title: phrase("Models and default parameters"),
  help: "settings#request-defaults",
  hint: phrase("The default parameters apply when a client uses a different API than the provider."),
  fields: [
    {
      key: "ModelAliases",
      kind: "json",
      label: phrase("Model aliases"),
      hint: phrase(
        'Additional names for models. Calls are billed as the original model. Claude Code only lists names that contain "claude", for example {"claude-gpt-5": "gpt-5"}.',
      ),
    },
    {
      key: "DisabledModels",
      kind: "phrases",
      label: phrase("Models disabled everywhere"),
      hint: phrase("Exact names, one per line. Calls to these models are refused on all channels."),
    },
    {
      key: "ClaudeDefaultMaxTokens",
      kind: "json",
      label: phrase("Claude: maximum output"),
      hint: phrase(
        'Output tokens per model when the client sets no limit, for example {"claude-opus-4-5": 32000, "default": 8192}.',
      ),
    },
    {
      key: "ClaudeBudgetTokensPercentage",
      kind: "decimal",
      label: phrase("Claude: share of the maximum output for thinking"),
      hint: phrase(
        "Used when the client requests thinking without a budget. 0.8 is 80%. 0 lets the model decide, which only newer models support.",
      ),
    },
    {
      key: "GeminiOpenThink",
      kind: "json",
      label: phrase("Gemini: show thoughts"),
      hint: phrase(
        'Models that return thoughts even if the client does not request them, for example {"gemini-2.5-pro": true}.',
      ),
    },
  ],
};

export const webSearchSection: SettingSection = {
  id: "web-search",
  title: phrase("Web search"),
  help: "settings#web-search",
  test: { kind: "search", needs: "WebSearchEngine" },
  hint: phrase("Used when a client asks for a web search and the provider of the channel has none."),
  fields: [
    {
      key: "WebSearchEngine",
      kind: "choice",
      label: phrase("Search service"),
      choices: [
        { value: "", label: phrase("None") },
        { value: "searxng", label: phrase("SearXNG") },
        { value: "brave", label: phrase("Brave Search") },
        { value: "tavily", label: phrase("Tavily") },
        { value: "exa", label: phrase("Exa") },
        { value: "bing", label: phrase("Another service with the format of Bing") },
      ],
    },
    {
      key: "WebSearchAddress",
      kind: "address",
      label: phrase("Address"),
      hint: phrase(
        "It may be in a private network. Leave it empty for the public address of Brave Search, Tavily or Exa.",
      ),
    },
    { key: "WebSearchKey", kind: "secret", label: phrase("API key") },
    {
      key: "WebSearchPrice",
      kind: "decimal",
      unit: units.dollars,
      label: phrase("Price per search"),
      hint: phrase("Charged in addition to the tokens. Failed searches are free. 0 = free."),
    },
    {
      key: "WebSearchMaxUses",
      kind: "number",
      label: phrase("Searches per call"),
      hint: phrase("A client can allow fewer. All of them are reserved."),
    },
    { key: "WebSearchResults", kind: "number", label: phrase("Pages per search") },
    {
      key: "WebSearchTimeoutSeconds",
      kind: "number",
      unit: units.seconds,
      label: phrase("Search timeout"),
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
      label: phrase("Send callbacks when a task is finished"),
      hint: phrase(
        "Sent to the callback address in the request, if it is public. The receiver sees the address of this server. When off, clients must poll.",
      ),
    },
    {
      key: "TaskDeadlineMinutes",
      kind: "number",
      unit: units.minutes,
      label: phrase("Task timeout"),
      hint: phrase("A task that takes longer fails and is refunded. 0 = 1 hour, or 3 hours for Kling."),
    },
  ],
};
