/** The settings of the screen, with their sections and labels. Only settings with an effect are listed. */
import { phrasesIn } from "#lib/i18n.ts";
import { backupSection } from "./backup-fields.ts";
import { brandSections } from "./brand-fields.ts";
import { logExportSection } from "./log-export-fields.ts";
import { botSection, mailSection, noticeSections, personSections } from "./mail-and-notice-fields.ts";
import { demoSection, taskSection, translationSection, webSearchSection } from "./model-fields.ts";
import { giftSection, moneySection, quoteSection, topUpSection } from "./money-fields.ts";
import { endpointsSection, monitoringSection, keywordsSection } from "./monitoring-fields.ts";
import { releaseSection } from "./release-fields.ts";
import type { SettingGroup } from "./section.ts";
import { identityProviderSections } from "./sign-in-fields.ts";
import { units } from "./units.ts";

const phrase = phrasesIn("settings");

export const settingGroups: readonly [SettingGroup, ...SettingGroup[]] = [
  {
    id: "operation",
    title: phrase("Operation"),
    sections: [
      moneySection,
      topUpSection,
      giftSection,
      {
        id: "prices",
        title: phrase("Prices and estimates"),
        help: "settings#prices-and-estimates",
        fields: [
          {
            key: "ChargeUnpricedModels",
            kind: "switch",
            label: phrase("Serve models without a price"),
            hint: phrase("Calls to these models are charged at ratio 30. When off, they are refused."),
          },
          {
            key: "DefaultMaxOutputTokens",
            kind: "number",
            unit: units.tokens,
            label: phrase("Default output reservation"),
            hint: phrase(
              "Output tokens to reserve for a call when neither the request nor the model sets a limit.",
            ),
          },
          {
            key: "UpdatePriceService",
            kind: "address",
            label: phrase("Price list address"),
            hint: phrase("Leave it empty to use the built-in list."),
          },
          {
            key: "PriceUpdateEnabled",
            kind: "switch",
            label: phrase("Update prices from this list automatically"),
            hint: phrase(
              "Locked prices are not changed. The Prices screen shows the result of the last update.",
            ),
          },
          { key: "PriceUpdateHours", kind: "number", unit: units.hours, label: phrase("Update every") },
          {
            key: "PriceUpdateMode",
            kind: "choice",
            label: phrase("What to import"),
            choices: [
              { value: "add", label: phrase("Models without a price") },
              { value: "update", label: phrase("Models that have a price") },
              { value: "overwrite", label: phrase("All models. Prices missing from the list are removed") },
            ],
          },
        ],
      },
      quoteSection,
      {
        id: "retries",
        title: phrase("Retries"),
        help: "settings#retries-circuit-breaker-and-timeouts",
        hint: phrase("Failed calls are retried until the first byte has been sent to the client."),
        fields: [
          { key: "RetryTimes", kind: "number", label: phrase("Additional attempts") },
          {
            key: "RetryTimeOut",
            kind: "number",
            unit: units.seconds,
            label: phrase("Stop retrying after"),
          },
          {
            key: "SessionAffinityMinutes",
            kind: "number",
            unit: units.minutes,
            label: phrase("Keep sessions on their channel for"),
            hint: phrase(
              "Calls of an agent session go to the channel and key of its last call, to use the provider's prompt cache. Default: 60. 0 = off.",
            ),
          },
          {
            key: "SessionFallbackModels",
            kind: "json",
            label: phrase("Cheaper models for sessions"),
            hint: phrase(
              'Agent sessions switch to these models when their budget runs low, for example {"claude-opus-4-5": "claude-haiku-4-5"}. Other models are refused when the budget is used up.',
            ),
          },
          {
            key: "SessionFallbackPercent",
            kind: "number",
            unit: units.percent,
            label: phrase("Switch to cheaper models at"),
            hint: phrase(
              "Percentage of the session budget that is spent or reserved. Default: 80. 0 = only when the budget does not cover a call.",
            ),
          },
          {
            key: "RetryCooldownSeconds",
            kind: "number",
            unit: units.seconds,
            label: phrase("Pause a failed channel for"),
            hint: phrase(
              "Applies to the model that failed. A waiting time requested by the provider takes precedence.",
            ),
          },
        ],
      },
      {
        id: "circuit-breaker",
        title: phrase("Circuit breaker"),
        help: "settings#retries-circuit-breaker-and-timeouts",
        hint: phrase(
          "Pauses a model on a channel for all accounts when too many of its calls fail within a minute and a test of the channel also fails.",
        ),
        fields: [
          { key: "CircuitBreakerEnabled", kind: "switch", label: phrase("Use circuit breakers") },
          {
            key: "CircuitBreakerThreshold",
            kind: "number",
            unit: units.percent,
            label: phrase("Failed calls"),
            hint: phrase("Percentage of failed calls within a minute, with at least 8 calls. Default: 50."),
          },
          {
            key: "CircuitBreakerSeconds",
            kind: "number",
            unit: units.seconds,
            label: phrase("Pause for"),
            hint: phrase(
              "Each consecutive pause lasts twice as long, up to ten times this value. Default: 30.",
            ),
          },
        ],
      },
      {
        id: "time-outs",
        title: phrase("Timeouts"),
        help: "settings#retries-circuit-breaker-and-timeouts",
        fields: [
          { key: "ConnectTimeoutMs", kind: "milliseconds", label: phrase("Connection timeout") },
          { key: "FirstByteTimeoutMs", kind: "milliseconds", label: phrase("First byte timeout") },
          {
            key: "IdleTimeoutMs",
            kind: "milliseconds",
            label: phrase("Idle timeout"),
            hint: phrase("Maximum time without data within a response."),
          },
          {
            key: "MaxAnswerSeconds",
            kind: "number",
            unit: units.seconds,
            label: phrase("Response timeout"),
            hint: phrase("Maximum duration of a response, even if data is still arriving. 0 = off."),
          },
          {
            key: "HeartbeatSeconds",
            kind: "number",
            unit: units.seconds,
            label: phrase("Heartbeat interval"),
            hint: phrase(
              "Sends a comment to the client after this time without data, so that proxies keep the connection open. 0 = off.",
            ),
          },
          {
            key: "DisconnectDrainSeconds",
            kind: "number",
            unit: units.seconds,
            label: phrase("Keep reading after a disconnect for"),
            hint: phrase(
              "When a client disconnects, the gateway reads the rest of the response for this long to determine its cost. 0 = off.",
            ),
          },
          {
            key: "RealtimeIdleSeconds",
            kind: "number",
            unit: units.seconds,
            label: phrase("Close idle realtime sessions after"),
          },
        ],
      },
      {
        id: "answer-cache",
        title: phrase("Response cache"),
        help: "settings#response-cache",
        hint: phrase(
          "For tokens that enable it: an identical request gets the cached response, and no provider is called.",
        ),
        fields: [
          {
            key: "AnswerCacheMinutes",
            kind: "number",
            unit: units.minutes,
            label: phrase("Keep responses for"),
            hint: phrase("0 = off for all users."),
          },
          {
            key: "AnswerCachePercent",
            kind: "number",
            unit: units.percent,
            label: phrase("Price of a cached response"),
            hint: phrase("As a percentage of the normal price. 0 = free."),
          },
          {
            key: "AnswerCacheKilobytes",
            kind: "number",
            unit: units.kilobytes,
            label: phrase("Maximum size of a cached response"),
          },
        ],
      },
      monitoringSection,
      endpointsSection,
      webSearchSection,
      translationSection,
      demoSection,
      taskSection,
      keywordsSection,
      {
        id: "logs",
        title: phrase("Logs"),
        help: "settings#logs",
        fields: [
          {
            key: "LogRetentionDays",
            kind: "number",
            unit: units.days,
            label: phrase("Keep the request log for"),
            hint: phrase("Statistics and balances are always kept. 0 = keep everything."),
          },
          {
            key: "LogRetentionGigabytes",
            kind: "number",
            unit: units.gigabytes,
            label: phrase("Maximum size of the log"),
            hint: phrase(
              "When the log is larger, its oldest days are deleted. The current day is always kept. 0 = no limit.",
            ),
          },
          {
            key: "BodyRetentionDays",
            kind: "number",
            unit: units.days,
            label: phrase("Store requests and responses for"),
            hint: phrase(
              "Applies to tokens and channels with this option enabled. Content is stored encrypted.",
            ),
          },
          {
            key: "BodyKilobytes",
            kind: "number",
            unit: units.kilobytes,
            label: phrase("Maximum size per request or response"),
            hint: phrase("Longer content is truncated."),
          },
        ],
      },
      {
        id: "chat-links",
        title: phrase("Chat clients"),
        help: "settings#chat-clients",
        hint: phrase("Offered in the playground and beside each token."),
        fields: [
          { key: "ChatLinks", kind: "chat-links", label: phrase("Clients") },
          {
            key: "ChatLink",
            kind: "address",
            label: phrase("Address of your own ChatGPT Next"),
            hint: phrase("Used instead of the default address while the list above is empty."),
          },
        ],
      },
    ],
  },
  {
    id: "system",
    title: phrase("System"),
    sections: [
      {
        id: "address",
        title: phrase("Address"),
        help: "settings#server-address",
        fields: [
          {
            key: "ServerAddress",
            kind: "address",
            label: phrase("Server address"),
            hint: phrase("The public address of this site, for example https://ai.example.com"),
          },
        ],
      },
      {
        id: "sign-in",
        title: phrase("Sign-in and sign-up"),
        help: "settings#sign-in-and-sign-up",
        fields: [
          {
            key: "PasswordLoginEnabled",
            kind: "switch",
            label: phrase("Sign-in with a password"),
          },
          {
            key: "RegisterEnabled",
            kind: "switch",
            label: phrase("Allow sign-up"),
            hint: phrase("When off, only administrators can create accounts."),
          },
          {
            key: "PasswordRegisterEnabled",
            kind: "switch",
            label: phrase("Sign-up with a password"),
          },
          {
            key: "PasskeyLoginEnabled",
            kind: "switch",
            label: phrase("Sign-in with passkeys"),
            hint: phrase("Browsers offer them over https, and on localhost."),
          },
          {
            key: "IdentityProviderSecondFactor",
            kind: "switch",
            label: phrase("Require the second factor for external sign-in"),
            hint: phrase(
              "Users with a second factor also enter their code after signing in with GitHub, WeChat, Lark or OpenID Connect. A passkey counts as both factors.",
            ),
          },
        ],
      },
      mailSection,
      ...personSections,
      ...identityProviderSections,
      botSection,
      backupSection,
      logExportSection,
      releaseSection,
    ],
  },
  { id: "notices", title: phrase("Notices"), sections: noticeSections },
  { id: "other", title: phrase("Other"), sections: brandSections },
];

/** Returns the label of a setting; undefined when it is not on the screen. */
export function labelOf(key: string): string | undefined {
  const fields = settingGroups.flatMap((group) => group.sections.flatMap((section) => section.fields));
  return fields.find((field) => field.key === key)?.label;
}
