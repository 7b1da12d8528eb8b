/** Settings of money: display, payments and credits. */
import { phrase } from "#lib/i18n.ts";
import type { SettingSection } from "./section.ts";
import { units } from "./units.ts";

export const moneySection: SettingSection = {
  id: "money",
  title: phrase("Money"),
  help: "settings#money",
  hint: phrase("How amounts are shown, and where users pay."),
  fields: [
    {
      key: "DisplayInCurrencyEnabled",
      kind: "switch",
      label: phrase("Show amounts in dollars"),
      hint: phrase("Off: they are shown in points."),
    },
    {
      key: "QuotaPerUnit",
      kind: "number",
      label: phrase("Points per dollar"),
      hint: phrase("Only for display; calls are charged in points."),
    },
    {
      key: "TimeZone",
      kind: "text",
      label: phrase("Time zone"),
      hint: phrase(
        "Days, weeks and months of budgets and spending limits end at midnight in this time zone, for example Asia/Shanghai. Default: UTC.",
      ),
    },
    {
      key: "TopUpLink",
      kind: "address",
      label: phrase("Link to buy codes"),
      hint: phrase("Shown on the top-up screen. Empty hides the link."),
    },
  ],
};

/** Settings of all payment gateways. Each gateway has its own settings on the payment screen. */
export const topUpSection: SettingSection = {
  id: "top-up",
  title: phrase("Online top-up"),
  help: "settings#online-top-up",
  hint: phrase("Payment gateways are on the screen “Payments”; these settings apply to all of them."),
  fields: [
    {
      key: "PaymentMinAmount",
      kind: "number",
      unit: units.dollars,
      label: phrase("Smallest top-up"),
    },
    {
      key: "PaymentUSDRate",
      kind: "decimal",
      label: phrase("Yuan per dollar"),
      hint: phrase("Used by gateways that take yuan. Open orders keep their price."),
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
    { key: "QuotaForNewUser", kind: "points", label: phrase("For a new user") },
    { key: "QuotaForInvitee", kind: "points", label: phrase("Extra gift for an invited user") },
    { key: "QuotaForInviter", kind: "points", label: phrase("Gift for the inviter") },
    {
      key: "GiftsPerNetworkPerDay",
      kind: "number",
      label: phrase("Gifts per network and day"),
      hint: phrase(
        "Sign-ups beyond it get an account without gifts. A network is a /24 of IPv4 or a /64 of IPv6. Default 5, 0 = no limit.",
      ),
    },
    {
      key: "QuotaValidityDays",
      kind: "number",
      unit: units.days,
      label: phrase("A balance is valid for"),
      hint: phrase("Counted from the last top-up. 0 = no expiry."),
    },
    {
      key: "QuotaRemindThreshold",
      kind: "points",
      label: phrase("Send a reminder by email below"),
    },
  ],
};
