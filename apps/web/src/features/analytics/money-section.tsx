/** Balance changes besides calls, sign-ups and payments of the period. */
import { lookupTable } from "@gateway/shared/lookup-table";
import type { Period } from "@gateway/shared/usage/analytics";
import { Skeleton, Text } from "@mantine/core";
import { IconCoins, IconUserPlus } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { formatMoney } from "#lib/format/money.ts";
import { useFormat } from "#lib/format/quota.ts";
import { phrasesIn } from "#lib/i18n.ts";
import { StackedBars } from "#ui/charts/stacked-bars.tsx";
import { stack, tickDigits, topOf } from "#ui/charts/stacks.ts";
import { Empty } from "#ui/empty.tsx";
import { Halves, Section } from "#ui/page/page.tsx";
import { periodQuery } from "./api.ts";
import type { AnalyticsParams } from "./period.ts";

const phrase = phrasesIn("analytics");

const kindLabels = lookupTable<string>({
  topup: phrase("Top-ups"),
  redemption: phrase("Redemption codes"),
  gift: phrase("Gifts"),
  invite: phrase("Invitations"),
  admin: phrase("By administrators"),
  refund: phrase("Refunds"),
  expiry: phrase("Expired"),
  task: phrase("Tasks"),
});

const kindColors = lookupTable<string>({
  topup: "var(--chart-1)",
  redemption: "var(--chart-2)",
  gift: "var(--chart-3)",
  invite: "var(--chart-4)",
  admin: "var(--chart-5)",
  refund: "var(--chart-6)",
  task: "var(--chart-others)",
  direct: "var(--chart-1)",
  invited: "var(--chart-2)",
});

export function MoneySection({ params }: { params: AnalyticsParams }) {
  const { t } = useTranslation("analytics");
  const { data: period, error } = useQuery(periodQuery(params));
  if (error && !period) return null;
  return (
    <Halves>
      <Section title={t("Credits")} hint={t("Credits by type")}>
        {period ? <Credits period={period} /> : <Skeleton height={260} />}
      </Section>
      <Section title={t("New accounts")} hint={t("Organic and invited sign-ups")}>
        {period ? <Accounts period={period} /> : <Skeleton height={260} />}
      </Section>
    </Halves>
  );
}

function Credits({ period }: { period: Period }) {
  const { t } = useTranslation("analytics");
  const format = useFormat();
  const stacks = stack(
    period.credit_statistics.map((row) => ({ date: row.date, name: row.kind, value: row.quota })),
    period.dates,
  );
  const deductions = period.credit_statistics.reduce((sum, row) => sum + Math.min(0, row.quota), 0);
  const redeemed = period.redemption_statistics.reduce((sum, row) => sum + row.quota, 0);
  const orders = new Map<string, number>();
  for (const row of period.order_statistics)
    orders.set(row.order_currency, (orders.get(row.order_currency) ?? 0) + row.order_amount);
  const facts = [
    ...(redeemed > 0 ? [t("{{amount}} from codes", { amount: format.quota(redeemed) })] : []),
    ...[...orders].map(([currency, amount]) =>
      t("{{amount}} paid in orders", { amount: formatMoney(amount, currency) }),
    ),
    ...(deductions < 0 ? [t("{{amount}} deducted", { amount: format.quota(-deductions) })] : []),
  ];
  if (stacks.series.length === 0)
    return (
      <Empty
        compact
        icon={IconCoins}
        title={t("No credits in this period")}
        hint={facts.length > 0 ? facts.join(" · ") : undefined}
      />
    );
  const digits = tickDigits(topOf(stacks) / format.pointsPerUsd);
  return (
    <>
      <StackedBars
        {...stacks}
        title={t("Credits")}
        height={220}
        colors={kindColors}
        nameOf={(kind) => t(kindLabels[kind] ?? kind)}
        tick={(value) => format.tick(value, digits)}
        print={(value) => format.tick(value, digits)}
        axisWidth={digits > 2 ? 82 : 64}
      />
      {facts.length > 0 ? (
        <Text fz="xs" c="dimmed" mt="sm">
          {facts.join(" · ")}
        </Text>
      ) : null}
    </>
  );
}

function Accounts({ period }: { period: Period }) {
  const { t } = useTranslation("analytics");
  const format = useFormat();
  const stacks = stack(
    period.user_statistics.flatMap((row) => [
      { date: row.date, name: "direct", value: row.user_count - row.inviter_user_count },
      { date: row.date, name: "invited", value: row.inviter_user_count },
    ]),
    period.dates,
  );
  if (stacks.series.length === 0)
    return <Empty compact icon={IconUserPlus} title={t("No new users in this period")} />;
  return (
    <StackedBars
      {...stacks}
      title={t("New accounts")}
      height={220}
      colors={kindColors}
      nameOf={(name) => (name === "direct" ? t("Organic") : t("Invited"))}
      tick={format.whole}
      print={format.whole}
      axisWidth={44}
    />
  );
}
