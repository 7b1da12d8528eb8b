/** Formats real currencies in the user's language: "$12.50", "¥68.99". Points are in quota.ts. */
import { currentLocale } from "./i18n.ts";

/** @param amount in whole units; a decimal text stays exact */
export function formatMoney(amount: number | string, currency: string): string {
  const format = new Intl.NumberFormat(currentLocale(), {
    style: "currency",
    currency,
    currencyDisplay: "narrowSymbol",
  });
  return format.format(amount as Intl.StringNumericLiteral);
}
