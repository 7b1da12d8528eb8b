/** Current figures of the site, independent of the selected period. */
import type { SiteStatistics } from "@gateway/shared/usage/analytics";
import { Skeleton, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { formatMoney } from "#lib/format/money.ts";
import { useFormat } from "#lib/format/quota.ts";
import { QueryFallback } from "#ui/empty.tsx";
import { Fact, Facts } from "#ui/figures/facts.tsx";
import { Section } from "#ui/page/page.tsx";
import { StatusDot } from "#ui/status-dot.tsx";
import { siteQuery } from "./api.ts";
import { AuditState } from "./audit-state.tsx";

export function SiteCards() {
  const { t } = useTranslation("analytics");
  const site = useQuery(siteQuery);
  return (
    <Section title={t("Now")} hint={t("The whole site, regardless of the selected period")}>
      {site.data ? (
        <Now site={site.data} />
      ) : (
        <QueryFallback query={site}>
          <Skeleton height={320} />
        </QueryFallback>
      )}
    </Section>
  );
}

function Now({ site }: { site: SiteStatistics }) {
  const { t } = useTranslation("analytics");
  const format = useFormat();
  const users = site.user_statistics;
  const channels = (status: number) =>
    site.channel_statistics.find((row) => row.status === status)?.total_channels ?? 0;
  const codes = (status: number) =>
    site.redemption_statistic.find((row) => row.status === status) ?? { count: 0, quota: 0 };
  const off = channels(2) + channels(3);
  return (
    <Facts columns={4}>
      <Fact label={t("Balances of all users")}>
        {format.quota(users.total_quota)}
        <Aside>
          {users.total_reserved > 0
            ? t("{{amount}} reserved for running calls", { amount: format.quota(users.total_reserved) })
            : t("Nothing reserved")}
        </Aside>
      </Fact>
      <Fact label={t("Charged in total")}>{format.quota(users.total_used_quota)}</Fact>
      <Fact label={t("Users")}>
        {format.whole(users.total_user)}
        <Aside>{t("{{count}} invited", { count: users.total_inviter_user })}</Aside>
      </Fact>
      <Fact label={t("Channels")}>
        <StatusDot tone={channels(1) > 0 ? "good" : "idle"}>
          {t("{{count}} enabled", { count: channels(1) })}
        </StatusDot>
        <Aside>
          {off === 0
            ? null
            : t("{{byHand}} disabled manually, {{byItself}} automatically", {
                byHand: channels(2),
                byItself: channels(3),
              })}
        </Aside>
      </Fact>
      <Fact label={t("Last minute")}>
        {t("{{count}} requests", { count: site.rate.rpm })}
        <Aside>
          {t("{{tokens}} tokens per minute", { count: site.rate.tpm, tokens: format.short(site.rate.tpm) })}
        </Aside>
      </Fact>
      <Fact label={t("Redemption codes")}>
        {t("{{amount}} redeemed", { amount: format.quota(codes(3).quota) })}
        <Aside>
          {t("{{count}} not redeemed, worth {{amount}}", {
            count: codes(1).count,
            amount: format.quota(codes(1).quota),
          })}
        </Aside>
      </Fact>
      <Fact label={t("Paid orders")}>
        {site.order_statistics.length === 0
          ? "–"
          : site.order_statistics.map((row) => (
              <Text key={row.order_currency} component="span" display="block" fz="inherit">
                {formatMoney(row.money, row.order_currency)}
                <Aside>{t("{{count}} orders", { count: row.count })}</Aside>
              </Text>
            ))}
      </Fact>
      <Fact label={t("Audit of balances")}>
        <AuditState audit={site.audit} />
      </Fact>
    </Facts>
  );
}

function Aside({ children }: { children: ReactNode }) {
  return (
    <Text component="span" display="block" fz="xs" c="dimmed">
      {children}
    </Text>
  );
}
