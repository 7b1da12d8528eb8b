/** The settings of the screen, with their sections and labels. Only settings with an effect are listed. */
import { phrase } from "#lib/i18n.ts";
import { brandSections } from "./brand-fields.ts";
import { endpointsSection, monitoringSection, keywordsSection } from "./guard-fields.ts";
import { demoSection, taskSection, translationSection } from "./model-fields.ts";
import { giftSection, moneySection, topUpSection } from "./money-fields.ts";
import { botSection, mailSection, noticeSections, personSections } from "./reach-fields.ts";
import type { SettingGroup } from "./section.ts";
import { identityProviderSections } from "./sign-in-fields.ts";
import { units } from "./units.ts";

export const settingGroups: SettingGroup[] = [
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
            hint: phrase("They are charged at ratio 30. Off: they are refused with a clear error."),
          },
          {
            key: "DefaultMaxOutputTokens",
            kind: "number",
            unit: units.tokens,
            label: phrase("Output to reserve by default"),
            hint: phrase("Used when neither the caller nor the model sets a limit."),
          },
          {
            key: "UpdatePriceService",
            kind: "address",
            label: phrase("Price list address"),
            hint: phrase("Empty: the built-in list."),
          },
          {
            key: "PriceUpdateEnabled",
            kind: "switch",
            label: phrase("Import that list automatically"),
            hint: phrase("Locked prices stay. The price screen shows what the last update did."),
          },
          { key: "PriceUpdateHours", kind: "number", unit: units.hours, label: phrase("Update every") },
          {
            key: "PriceUpdateMode",
            kind: "choice",
            label: phrase("What to import"),
            choices: [
              { value: "add", label: phrase("Models without a price") },
              { value: "update", label: phrase("Models that have one") },
              { value: "overwrite", label: phrase("Everything: prices missing from the list are removed") },
            ],
          },
        ],
      },
      {
        id: "retries",
        title: phrase("Retries"),
        help: "settings#retries-circuit-breaker-and-timeouts",
        hint: phrase("Applies before the first byte has been sent to the client."),
        fields: [
          { key: "RetryTimes", kind: "number", label: phrase("Additional attempts") },
          {
            key: "RetryTimeOut",
            kind: "number",
            unit: units.seconds,
            label: phrase("No new attempt after"),
          },
          {
            key: "SessionAffinityMinutes",
            kind: "number",
            unit: units.minutes,
            label: phrase("Keep sessions on their channel for"),
            hint: phrase(
              "Calls of one agent session go to the channel and key that served it last, so that the provider's prompt cache is used. Default: 60. 0 = off.",
            ),
          },
          {
            key: "SessionFallbackModels",
            kind: "json",
            label: phrase("Cheaper models for sessions"),
            hint: phrase(
              'Used by agent sessions whose budget runs out: {"claude-opus-4-5": "claude-haiku-4-5"}. Without one, the calls are refused.',
            ),
          },
          {
            key: "SessionFallbackPercent",
            kind: "number",
            unit: units.percent,
            label: phrase("Use cheaper models from this share of the budget on"),
            hint: phrase(
              "In percent of the budget that is spent or reserved. Default: 80. 0 = only when the budget does not cover a call.",
            ),
          },
          {
            key: "RetryCooldownSeconds",
            kind: "number",
            unit: units.seconds,
            label: phrase("Freeze a failed channel for"),
            hint: phrase("For that model. A time requested by the provider takes precedence."),
          },
        ],
      },
      {
        id: "circuit-breaker",
        title: phrase("Circuit breaker"),
        help: "settings#retries-circuit-breaker-and-timeouts",
        hint: phrase(
          "Pauses a model of a channel for every account when too many of its calls fail within a minute and a test of the channel fails too.",
        ),
        fields: [
          { key: "CircuitBreakerEnabled", kind: "switch", label: phrase("Use circuit breakers") },
          {
            key: "CircuitBreakerThreshold",
            kind: "number",
            unit: units.percent,
            label: phrase("Failed calls"),
            hint: phrase("Share of at least 8 calls within a minute. Default: 50."),
          },
          {
            key: "CircuitBreakerSeconds",
            kind: "number",
            unit: units.seconds,
            label: phrase("Pause for"),
            hint: phrase("Each further pause in a row is twice as long, up to ten times. Default: 30."),
          },
        ],
      },
      {
        id: "time-outs",
        title: phrase("Time-outs"),
        help: "settings#retries-circuit-breaker-and-timeouts",
        fields: [
          { key: "ConnectTimeoutMs", kind: "milliseconds", label: phrase("To connect") },
          { key: "FirstByteTimeoutMs", kind: "milliseconds", label: phrase("To the first byte") },
          { key: "IdleTimeoutMs", kind: "milliseconds", label: phrase("Between two bytes") },
          {
            key: "MaxAnswerSeconds",
            kind: "number",
            unit: units.seconds,
            label: phrase("To the end of a response"),
            hint: phrase("The response is ended even if data still arrives. 0 = off."),
          },
          {
            key: "HeartbeatSeconds",
            kind: "number",
            unit: units.seconds,
            label: phrase("Heartbeat in silent streams"),
            hint: phrase("0 = off."),
          },
          {
            key: "DisconnectDrainSeconds",
            kind: "number",
            unit: units.seconds,
            label: phrase("Read responses after a disconnect"),
            hint: phrase(
              "When a client disconnects, its response is read for this long to learn its cost. 0 = off.",
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
            hint: phrase("0 keeps everything. Statistics and balances are always kept."),
          },
          {
            key: "LogRetentionGigabytes",
            kind: "number",
            unit: units.gigabytes,
            label: phrase("Maximum size of the log"),
            hint: phrase("Above it, the oldest days are deleted. 0 = no limit. Today is always kept."),
          },
          {
            key: "BodyRetentionDays",
            kind: "number",
            unit: units.days,
            label: phrase("Store requests and responses for"),
            hint: phrase("Only for tokens and channels with this option. They are stored encrypted."),
          },
          {
            key: "BodyKilobytes",
            kind: "number",
            unit: units.kilobytes,
            label: phrase("Maximum size of each"),
            hint: phrase("The rest is cut off."),
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
            label: phrase("Your own ChatGPT Next"),
            hint: phrase("Replaces the address of that client while the list above is empty."),
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
            hint: phrase("Off: only administrators create accounts."),
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
            label: phrase("Second factor after other sign-ins"),
            hint: phrase(
              "On: accounts with two-factor authentication enter their code also after signing in with GitHub, WeChat, Lark or OpenID. Passkeys count as both factors.",
            ),
          },
        ],
      },
      mailSection,
      ...personSections,
      ...identityProviderSections,
      botSection,
    ],
  },
  { id: "notices", title: phrase("Notices"), sections: noticeSections },
  { id: "other", title: phrase("Branding"), sections: brandSections },
];

/** Returns the label of a setting; its key when it is not on the screen. */
export function labelOf(key: string): string {
  const fields = settingGroups.flatMap((group) => group.sections.flatMap((section) => section.fields));
  return fields.find((field) => field.key === key)?.label ?? key;
}
