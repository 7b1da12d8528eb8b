/** Labels of the states and limits of a token. */
import type { TokenRates } from "@gateway/shared/accounts/token";
import { TokenStatus } from "@gateway/shared/accounts/token-status";
import type { TFunction } from "i18next";
import type { Formatters } from "#lib/format/quota.ts";
import { phrasesIn } from "#lib/i18n.ts";
import type { Tone } from "#ui/status-dot.tsx";

const phrase = phrasesIn("tokens");

type Word = { text: string; tone: Tone };

const labels: Record<number, Word> = {
  [TokenStatus.enabled]: { text: phrase("Enabled"), tone: "good" },
  [TokenStatus.disabled]: { text: phrase("Disabled"), tone: "idle" },
  [TokenStatus.expired]: { text: phrase("Expired"), tone: "bad" },
  [TokenStatus.exhausted]: { text: phrase("Used up"), tone: "bad" },
};

export function statusWord(status: number): Word {
  return labels[status] ?? { text: phrase("Unknown"), tone: "idle" };
}

type LimitMessage = [limit: number, message: () => string];

const labelsOf = (messages: readonly LimitMessage[]) =>
  messages.filter(([limit]) => limit > 0).map(([, message]) => message());

/** Returns labels of the limits: "60 requests per minute". */
export function limitLabels(rates: TokenRates, t: TFunction<"tokens">, format: Formatters): string[] {
  return [
    ...labelsOf(callMessages(rates, t, format)),
    ...labelsOf([
      [rates.daily_spend, () => t("{{amount}} a day", { amount: format.quota(rates.daily_spend) })],
      [rates.monthly_spend, () => t("{{amount}} a month", { amount: format.quota(rates.monthly_spend) })],
      sessionMessage(rates, t, format),
    ]),
  ];
}

/** Returns labels of the limits that apply to calls and sessions, without those of days and months. */
export function callLimitLabels(rates: TokenRates, t: TFunction<"tokens">, format: Formatters): string[] {
  return labelsOf([...callMessages(rates, t, format), sessionMessage(rates, t, format)]);
}

function sessionMessage(rates: TokenRates, t: TFunction<"tokens">, format: Formatters): LimitMessage {
  return [
    rates.session_spend,
    () => t("{{amount}} per session", { amount: format.quota(rates.session_spend) }),
  ];
}

function callMessages(rates: TokenRates, t: TFunction<"tokens">, format: Formatters): LimitMessage[] {
  return [
    [
      rates.requests_per_minute,
      () =>
        t("{{number}} requests per minute", {
          count: rates.requests_per_minute,
          number: format.whole(rates.requests_per_minute),
        }),
    ],
    [
      rates.tokens_per_minute,
      () =>
        t("{{number}} tokens per minute", {
          count: rates.tokens_per_minute,
          number: format.whole(rates.tokens_per_minute),
        }),
    ],
    [
      rates.concurrency,
      () =>
        t("{{number}} concurrent requests", {
          count: rates.concurrency,
          number: format.whole(rates.concurrency),
        }),
    ],
  ];
}
