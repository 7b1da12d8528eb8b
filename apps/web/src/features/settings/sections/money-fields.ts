/** Settings of money: display, payments and credits. */
import { phrasesIn } from "#lib/i18n.ts";
import type { SettingSection } from "./section.ts";
import { units } from "./units.ts";

const phrase = phrasesIn("settings");

export const moneySection: SettingSection = {
  id: "money",
  title: phrase("Money"),
  help: "settings#money",
  hint: phrase("How amounts are displayed, and where users buy redemption codes."),
  fields: [
    {
      key: "DisplayInCurrencyEnabled",
      kind: "switch",
      label: phrase("Show amounts in dollars"),
      hint: phrase("When off, amounts are shown in points."),
    },
    {
      key: "QuotaPerUnit",
      kind: "number",
      label: phrase("Points per dollar"),
      hint: phrase("Only affects how amounts are displayed. Calls are charged in points."),
    },
    {
      key: "TimeZone",
      kind: "text",
      label: phrase("Time zone"),
      hint: phrase(
        "Budgets and spending limits reset at midnight in this time zone, for example Asia/Shanghai. Default: UTC.",
      ),
    },
    {
      key: "TopUpLink",
      kind: "address",
      label: phrase("Link to buy redemption codes"),
      hint: phrase("Shown on the top-up screen. Leave it empty to hide the link."),
    },
  ],
};

/** Settings of all payment gateways. Each gateway has its own settings on the payment screen. */
export const topUpSection: SettingSection = {
  id: "top-up",
  title: phrase("Online top-up"),
  help: "settings#online-top-up",
  hint: phrase(
    "These settings apply to all payment gateways. You manage payment gateways on the Payments screen.",
  ),
  fields: [
    {
      key: "PaymentMinAmount",
      kind: "number",
      unit: units.dollars,
      label: phrase("Minimum top-up"),
    },
    {
      key: "PaymentUSDRate",
      kind: "decimal",
      label: phrase("Yuan per dollar"),
      hint: phrase(
        "Used for shown prices and by payment gateways that charge in yuan. Until you set it, prices are shown at 7. Open orders keep their price.",
      ),
    },
    {
      key: "RechargeDiscount",
      kind: "discounts",
      label: phrase("Discounts by amount"),
    },
  ],
};

export const giftSection: SettingSection = {
  id: "gifts",
  title: phrase("Gifts and validity"),
  help: "settings#gifts-and-validity",
  hint: phrase("What new users and inviters receive, in points."),
  fields: [
    { key: "QuotaForNewUser", kind: "points", label: phrase("Gift for a new user") },
    { key: "QuotaForInvitee", kind: "points", label: phrase("Extra gift for an invited user") },
    { key: "QuotaForInviter", kind: "points", label: phrase("Gift for the inviter") },
    {
      key: "GiftsPerNetworkPerDay",
      kind: "number",
      label: phrase("Gifts per network and day"),
      hint: phrase(
        "Further new users get no gift. A network is an IPv4 /24 or an IPv6 /64. Default: 5. 0 = no limit.",
      ),
    },
    {
      key: "QuotaValidityDays",
      kind: "number",
      unit: units.days,
      label: phrase("Balance validity"),
      hint: phrase("Counted from the last top-up. 0 = no expiry."),
    },
    {
      key: "QuotaRemindThreshold",
      kind: "points",
      label: phrase("Email a reminder when the balance falls below"),
    },
  ],
};

export const quoteSection: SettingSection = {
  id: "quotes",
  title: phrase("Quotes"),
  help: "settings#quotes",
  hint: phrase(
    "A client can request the price that a call will not exceed, and make the call at this price.",
  ),
  fields: [
    {
      key: "QuotesEnabled",
      kind: "switch",
      label: phrase("Allow quotes"),
      hint: phrase(
        "When off, requests for quotes and calls with a quote are refused. A group can turn quotes off for its API keys.",
      ),
    },
    {
      key: "QuoteSeconds",
      kind: "number",
      unit: units.seconds,
      label: phrase("Quotes are valid for"),
      hint: phrase("If prices rise in this time, you pay the part of a call above its quote."),
    },
    {
      key: "QuotesPerAccount",
      kind: "number",
      label: phrase("Open quotes per account"),
      hint: phrase("Used and expired quotes do not count."),
    },
  ],
};
