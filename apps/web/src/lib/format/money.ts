/** Formats real currencies in the user's language: "$12.50", "¥68.99". Points are in quota.ts. */
import { currentLocale } from "#lib/i18n.ts";

/** @param amount in whole units; a decimal text stays exact */
export function formatMoney(amount: number | string, currency: string): string {
  const format = new Intl.NumberFormat(currentLocale(), {
    style: "currency",
    currency,
    currencyDisplay: "narrowSymbol",
  });
  return format.format(amount as Intl.StringNumericLiteral);
}

/** Formats an amount with its currency's code, as stored: "730.00 CNY". Other texts stay as they are. */
export function moneyText(text: string): string {
  const [, amount, currency] = /^(-?\d+(?:\.\d+)?) ([A-Z]{3})$/.exec(text) ?? [];
  return amount === undefined || currency === undefined ? text : formatMoney(amount, currency);
}
