/** Text and link of a notification, built from its facts in the user's language. */
import { lookupTable } from "@gateway/shared/lookup-table";
import type { InboxKind, InboxRow, OwnEvent } from "@gateway/shared/site/inbox";
import type { TFunction } from "i18next";
import { jobAddress } from "#lib/address/job-address.ts";
import { moneyText } from "#lib/format/money.ts";
import { type Formatters, formatTime } from "#lib/format/quota.ts";
import { phrasesIn } from "#lib/i18n.ts";
import { failureLabel } from "#lib/labels/failure-labels.ts";
import { storedReason } from "#lib/labels/reasons.ts";

const phrase = phrasesIn("inbox");

export type EntryText = { title: string; text: string; to: string };
export const kindTitles: Record<InboxKind, string> = {
  channels: phrase("Channels"),
  calls: phrase("Calls"),
  billing: phrase("Billing"),
  prices: phrase("Prices"),
  security: phrase("Security"),
  system: phrase("System"),
};

/** Names of the notice channels, as in the settings. */
const noticeChannels = lookupTable<string>({
  email: phrase("Email notices"),
  telegram: phrase("Telegram"),
  lark: phrase("Lark robot"),
  dingtalk: phrase("DingTalk robot"),
  wecom: phrase("WeCom robot"),
  pushdeer: phrase("PushDeer"),
  webhook: phrase("Webhook"),
});

const securityTitles: Partial<Record<InboxRow["event"], string>> = {
  "password-changed": phrase("Your password was changed"),
  "second-factor-on": phrase("The second factor of your account was enabled"),
  "second-factor-off": phrase("The second factor of your account was disabled"),
  "recovery-codes-renewed": phrase("Your recovery codes were replaced"),
  "passkey-added": phrase("A passkey was added to your account"),
  "passkey-removed": phrase("A passkey was removed from your account"),
  "access-token-created": phrase("A management access token was created for your account"),
  "email-changed": phrase("The email address of your account was changed"),
  "sign-in-linked": phrase("A sign-in method was linked to your account"),
  "sign-in-unlinked": phrase("A sign-in method was removed from your account"),
};

/** "T2026112600: The amount differs." An operator may refund an order without a reason. */
const aboutOrder = (t: TFunction<"inbox">, order: string, reason: string) =>
  reason === "" ? order : t("{{what}}: {{reason}}", { what: order, reason });

export function entryText(
  t: TFunction<"inbox">,
  row: InboxRow,
  format: Pick<Formatters, "quota">,
): EntryText {
  const { event, facts } = row;
  const of = (name: string) => facts[name] ?? "–";
  const reason = storedReason(t, row.reason, row.reason_facts);
  const channel = { name: of("name"), model: of("model") };
  const toChannel = `/panel/channel?edit=${encodeURIComponent(of("id"))}`;
  switch (event) {
    case "channel-disabled":
      return {
        title: t("Channel “{{name}}” was disabled automatically", channel),
        text: reason,
        to: toChannel,
      };
    case "channel-enabled":
      return {
        title: t("Channel “{{name}}” was enabled automatically", channel),
        text: reason,
        to: toChannel,
      };
    case "channel-paused":
      return { title: t("Channel “{{name}}” is paused for {{model}}", channel), text: reason, to: toChannel };
    case "key-disabled":
      return {
        title: t("A key of channel “{{name}}” was disabled automatically", channel),
        text: [of("key"), reason].join(" · "),
        to: toChannel,
      };
    case "key-unavailable":
      return {
        title: t("The key of channel “{{name}}” cannot be read", channel),
        text: [of("key"), reason].join(" · "),
        to: toChannel,
      };
    case "budget-reached":
      return {
        title: t("“{{name}}” has spent {{used}} of its budget", { name: of("name"), used: of("used") }),
        text: facts["limit"]
          ? t("Calls are refused above {{limit}}. The period ends at {{time}}.", {
              limit: facts["limit"],
              time: of("resets"),
            })
          : t("The period ends at {{time}}.", { time: of("resets") }),
        to: facts["target"] === "account" ? "/panel/user" : "/panel/token?view=all",
      };
    case "payment-trouble":
      return {
        title: t("Problem with a payment through “{{name}}”", channel),
        text: reason,
        to: `/panel/payment?trade_no=${encodeURIComponent(facts["order"] ?? "")}`,
      };
    case "prices-failed":
      return { title: t("The price list could not be updated"), text: reason, to: "/panel/pricing" };
    case "models-unpriced":
      return {
        title: t("{{count}} models without a price", { count: Number(of("count")) || 0 }),
        text: t("Calls to them are refused: {{models}}", { models: of("models") }),
        to: "/panel/pricing",
      };
    case "models-changed":
      return changedModels(t, row);
    case "job-failed":
      return {
        title: t("The job “{{name}}” failed", { name: of("job") }),
        text: reason,
        to: jobAddress(of("job")),
      };
    case "storage-full":
      return {
        title: t("The disk of node “{{node}}” is full", { node: of("node") }),
        text: reason,
        to: "/panel/diagnostics",
      };
    case "replica-unused":
      return {
        title: t("The replica of the database is not used on node “{{node}}”", { node: of("node") }),
        text: reason,
        to: "/panel/diagnostics",
      };
    case "telemetry-refused":
      return {
        title: t("The OpenTelemetry collector does not accept data of node “{{node}}”", { node: of("node") }),
        text: reason,
        to: "/panel/diagnostics",
      };
    case "scim-refused":
      return {
        title: t("The directory “{{name}}” sent a change that is not valid", { name: of("name") }),
        text: reason,
        to: "/panel/setting?section=identity-providers",
      };
    case "notice-undelivered":
      return undeliveredNotice(t, facts["channel"] ?? "", reason);
    default:
      return ownEntryText(t, { ...row, event }, format);
  }
}

/** Returns the text of an event of the reader's own account. */
function ownEntryText(
  t: TFunction<"inbox">,
  row: InboxRow & { event: OwnEvent },
  format: Pick<Formatters, "quota">,
): EntryText {
  const { event, facts } = row;
  const of = (name: string) => facts[name] ?? "–";
  const points = (name: string) => format.quota(Number(facts[name] ?? 0));
  const reason = storedReason(t, row.reason, row.reason_facts);
  switch (event) {
    case "balance-low":
      return {
        title: t("Low balance: {{amount}}", { amount: points("balance") }),
        text: t("When the balance is used up, calls are refused. Top up to continue."),
        to: "/panel/topup",
      };
    case "budget-notice":
      return budgetNotice(t, row, points);
    case "calls-refused":
      return refusedCalls(t, row);
    case "payment-received":
      return {
        title: t("Payment received: {{amount}} added to your balance", { amount: points("quota") }),
        text: t("Order {{order}}, {{paid}} paid", { order: of("order"), paid: moneyText(of("paid")) }),
        to: "/panel/topup",
      };
    case "payment-refunded":
      return {
        title: t("A payment was refunded: {{amount}} deducted from your balance", {
          amount: points("quota"),
        }),
        text: aboutOrder(t, of("order"), reason),
        to: "/panel/topup",
      };
    case "payment-problem":
      return {
        title: t("There is a problem with your payment"),
        text: aboutOrder(t, of("order"), reason),
        to: "/panel/topup",
      };
    case "new-sign-in":
      return {
        title: t("New sign-in from {{ip}}", { ip: of("ip") }),
        text: t("If this was not you, change your password."),
        to: "/panel/profile?tab=security",
      };
    default:
      return {
        title: t(securityTitles[event] ?? event),
        text: facts["by"]
          ? t("Changed by administrator {{name}}", { name: facts["by"] })
          : t("From {{ip}}. If this was not you, change your password.", { ip: of("ip") }),
        to: "/panel/profile?tab=security",
      };
  }
}

function changedModels(t: TFunction<"inbox">, { facts }: InboxRow): EntryText {
  const provider = facts["provider"] ?? "–";
  const [added, removed] = [Number(facts["added"] ?? 0), Number(facts["removed"] ?? 0)];
  const title =
    removed === 0
      ? t("{{provider}} added {{count}} models", { provider, count: added })
      : added === 0
        ? t("{{provider}} removed {{count}} models", { provider, count: removed })
        : t("{{provider}} changed its models: {{added}} added, {{removed}} removed", {
            provider,
            added,
            removed,
          });
  const text = t("Channel “{{name}}”: {{models}}", {
    name: facts["name"] ?? "–",
    models: facts["models"] ?? "",
  });
  return { title, text, to: "/panel/channel?changes=all" };
}

function undeliveredNotice(t: TFunction<"inbox">, id: string, reason: string): EntryText {
  const channel = Object.hasOwn(noticeChannels, id) ? t(noticeChannels[id] ?? "") : id;
  return {
    title: t("A notice could not be sent: {{channel}}", { channel }),
    text: reason,
    to: "/panel/setting?tab=notices",
  };
}

function refusedCalls(t: TFunction<"inbox">, { count, facts }: InboxRow): EntryText {
  const code = facts["code"] ?? "";
  const label = failureLabel(code);
  const search = new URLSearchParams({ log_type: "5", error_code: code });
  if (facts["token"]) search.set("token_name", facts["token"]);
  return {
    title: t("{{count}} calls refused: {{reason, inside}}", { count, reason: label ? t(label) : code }),
    text: facts["token"] ? t("Token “{{name}}”", { name: facts["token"] }) : "",
    to: code === "insufficient_quota" ? "/panel/topup" : `/panel/log?${search.toString()}`,
  };
}

const periodTexts = lookupTable<{ account: string; token: string }>({
  day: {
    account: phrase("You have spent {{used}} of your budget today"),
    token: phrase("“{{name}}” has spent {{used}} of its budget today"),
  },
  week: {
    account: phrase("You have spent {{used}} of your budget this week"),
    token: phrase("“{{name}}” has spent {{used}} of its budget this week"),
  },
  month: {
    account: phrase("You have spent {{used}} of your budget this month"),
    token: phrase("“{{name}}” has spent {{used}} of its budget this month"),
  },
});

function budgetNotice(
  t: TFunction<"inbox">,
  { facts }: InboxRow,
  points: (name: string) => string,
): EntryText {
  const ofToken = facts["target"] === "token";
  const texts = periodTexts[facts["period"] ?? ""] ?? periodTexts["day"];
  const time = formatTime(Number(facts["resets"] ?? 0));
  return {
    title: t((ofToken ? texts?.token : texts?.account) ?? "", { name: facts["name"], used: points("used") }),
    text:
      Number(facts["limit"] ?? 0) > 0
        ? t("Calls are refused above {{limit}}. The period ends at {{time}}.", {
            limit: points("limit"),
            time,
          })
        : t("The period ends at {{time}}.", { time }),
    to: ofToken ? `/panel/token/${facts["id"] ?? ""}` : "/panel/dashboard",
  };
}
