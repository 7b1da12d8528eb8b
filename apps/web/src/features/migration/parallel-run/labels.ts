/** Labels of deviations, and their probable reasons. */
import type { ComparisonReport, Deviation, DeviationCause } from "@gateway/shared/site/comparison";
import type { TFunction } from "i18next";
import { phrasesIn } from "#lib/i18n.ts";

const phrase = phrasesIn("migration");

export const kindLabels: Record<Deviation["kind"], string> = {
  charge: phrase("Different charge"),
  ambiguous: phrase("Several possible matches"),
  missing_there: phrase("Only in this gateway"),
  missing_here: phrase("Only in the old gateway"),
};

/** Says what differs, with both values where the logs have them. */
export function reasonText(t: TFunction<"migration">, { kind, causes, here, source }: Deviation): string {
  if (kind === "ambiguous")
    return t("Several log rows of the old gateway match this call, and their charges differ.");
  if (kind === "missing_there") return t("The log of the old gateway has no row for this call.");
  if (kind === "missing_here") return t("The channel has no call that matches this log row.");
  const text: Record<DeviationCause, () => string> = {
    tokens: () =>
      t("Different tokens: {{here}} here, {{there}} there", {
        here: tokensOf(here),
        there: tokensOf(source),
      }),
    group_ratio: () =>
      t("Different group ratio: {{here}} here, {{there}} there", {
        here: here?.price?.group_ratio,
        there: source?.price?.group_ratio,
      }),
    price: () =>
      t("Different price: {{here}} here, {{there}} there", {
        here: priceOf(here),
        there: priceOf(source),
      }),
    unknown: () => t("The log of the old gateway does not show how the charge was calculated."),
  };
  return causes.map((cause) => text[cause]()).join(" · ");
}

/** Input and output. */
const tokensOf = (side: Deviation["here"]) =>
  side === null ? "–" : `${side.prompt_tokens} + ${side.completion_tokens}`;
const priceOf = (side: Deviation["here"]) =>
  side?.price === undefined || side.price === null ? "–" : `${side.price.input} / ${side.price.output}`;

/** Points by which a deviation differs, here minus there. A missing side is 0. */
export function differenceOf({ here, source }: Deviation): number {
  return Number(BigInt(here?.charge ?? 0) - BigInt(source?.charge ?? 0));
}

/** Calls whose charge is equal, and all calls that could be judged. */
export function agreementOf({ calls }: Pick<ComparisonReport, "calls">): { equal: number; of: number } {
  const { equal, deviating, ambiguous, missing_there, missing_here } = calls;
  return { equal, of: equal + deviating + ambiguous + missing_there + missing_here };
}

/** Rounded down, so that 100 % means that every charge is equal. "–" without a call. */
export function agreementText({ equal, of }: { equal: number; of: number }, locale: string): string {
  if (of === 0) return "–";
  const share = Math.floor((equal / of) * 10_000) / 10_000;
  return new Intl.NumberFormat(locale, { style: "percent", maximumFractionDigits: 2 }).format(share);
}
