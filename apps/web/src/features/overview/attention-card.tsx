/** Issues that need an administrator's attention: one line each, with a link. */
import { LogType } from "@gateway/shared/usage/log-type";
import type { AttentionItem } from "@gateway/shared/usage/overview";
import { Text } from "@mantine/core";
import { IconAlertTriangle, IconCircleCheck } from "@tabler/icons-react";
import type { TFunction } from "i18next";
import { useTranslation } from "react-i18next";
import { jobAddress } from "#lib/address/job-address.ts";
import { logAddress } from "#lib/address/log-address.ts";
import { useErrorTexts } from "#lib/errors/late-errors.ts";
import { joinList } from "#lib/format/join-list.ts";
import { formatMoney } from "#lib/format/money.ts";
import { useFormat } from "#lib/format/quota.ts";
import { currentLocale } from "#lib/i18n.ts";
import { hasErrorCode, storedReason } from "#lib/labels/reasons.ts";
import { Section } from "#ui/page/page.tsx";
import { QuietLink } from "#ui/quiet-link.tsx";
import classes from "./overview.module.css";

type AttentionLine = { title: string; text: string; to: string; urgent: boolean };

export function AttentionCard({ items, since }: { items: AttentionItem[]; since: number }) {
  const { t } = useTranslation("overview");
  const format = useFormat();
  useErrorTexts(items.some((item) => "reason_facts" in item && hasErrorCode(item.reason_facts)));
  return (
    <Section
      title={t("Needs attention")}
      aside={
        items.length > 0 ? (
          <Text fz="sm" c="dimmed" className="tabular">
            {items.length}
          </Text>
        ) : null
      }
    >
      {items.length === 0 ? (
        <div className={classes.calm}>
          <IconCircleCheck size={20} stroke={1.7} aria-hidden />
          <Text c="dimmed" fz="sm">
            {t("Nothing needs your attention.")}
          </Text>
        </div>
      ) : (
        <ul className={classes.attention} tabIndex={0} aria-label={t("Needs attention")}>
          {items.map((item) => {
            const line = lineOf(t, item, since, format.exact);
            return (
              <li key={keyOf(item)} data-urgent={line.urgent || undefined}>
                <IconAlertTriangle size={17} stroke={1.7} aria-hidden />
                <div>
                  <QuietLink to={line.to}>{line.title}</QuietLink>
                  {line.text ? (
                    <Text fz="xs" c="dimmed" lineClamp={2} title={line.text}>
                      {line.text}
                    </Text>
                  ) : null}
                </div>
              </li>
            );
          })}
        </ul>
      )}
    </Section>
  );
}

function keyOf(item: AttentionItem): string {
  if ("id" in item) return `${item.kind} ${item.id}`;
  return item.kind === "notice" ? `${item.event} ${item.name} ${item.time}` : item.kind;
}

function lineOf(
  t: TFunction<"overview">,
  item: AttentionItem,
  since: number,
  points: (quota: number) => string,
): AttentionLine {
  switch (item.kind) {
    case "channel-disabled":
      return {
        title: t("Channel “{{name}}” was disabled automatically", { name: item.name }),
        text: storedReason(t, item.reason, item.reason_facts),
        to: `/panel/channel?edit=${item.id}`,
        urgent: true,
      };
    case "channel-failing":
      return {
        title: t("Channel “{{name}}” is failing", { name: item.name }),
        text: t("{{failed}} of {{requests}} calls failed in the current and the previous hour.", item),
        to: logAddress(since, { channel_id: item.id, log_type: LogType.failed }),
        urgent: true,
      };
    case "channel-balance":
      return {
        title: t("Channel “{{name}}” has a low balance at the provider", { name: item.name }),
        text: balanceText(t, item),
        to: `/panel/channel?edit=${item.id}`,
        urgent: item.balance <= 0,
      };
    case "unpriced":
      return {
        title: t("{{count}} models without a price", { count: item.count }),
        text: t("Calls to them are refused: {{models}}", {
          models: joinList(item.models) + (item.count > item.models.length ? " …" : ""),
        }),
        to: "/panel/pricing",
        urgent: false,
      };
    case "notice":
      return noticeLine(t, item);
    case "balance-empty":
      return {
        title: t("{{count}} calls refused: balance empty", { count: item.calls }),
        text: t("{{count}} customers affected", { count: item.users }),
        to: logAddress(since, { log_type: LogType.failed }),
        urgent: false,
      };
    case "audit-drift":
      return {
        title: t("The last audit found a difference in the balances"),
        text: points(item.drift),
        to: "/panel/analytics",
        urgent: true,
      };
  }
}

function balanceText(
  t: TFunction<"overview">,
  item: Extract<AttentionItem, { kind: "channel-balance" }>,
): string {
  const amount = formatMoney(item.balance, item.currency);
  if (item.days_left === null) return amount;
  const days = new Intl.NumberFormat(currentLocale(), { maximumFractionDigits: 1 }).format(item.days_left);
  return t("{{amount}}, enough for {{days}} days at the current rate", { amount, days });
}

function noticeLine(
  t: TFunction<"overview">,
  item: Extract<AttentionItem, { kind: "notice" }>,
): AttentionLine {
  const times = item.count > 1 ? ` (${item.count}×)` : "";
  const text = storedReason(t, item.reason, item.reason_facts);
  switch (item.event) {
    case "payment-trouble":
      return {
        title: t("Problem with a payment through “{{name}}”", { name: item.name }) + times,
        text,
        to: "/panel/payment",
        urgent: true,
      };
    case "job-failed":
      return {
        title: t("The job “{{name}}” failed", { name: item.name }) + times,
        text,
        to: jobAddress(item.name),
        urgent: true,
      };
    case "prices-failed":
      return {
        title: t("The price list could not be updated") + times,
        text,
        to: "/panel/pricing",
        urgent: false,
      };
  }
}
