/** What a token has spent of its limits, what is left, and when the limits begin again. */
import type { TokenRow } from "@gateway/shared/accounts/token";
import { NEVER_EXPIRES, TokenStatus } from "@gateway/shared/accounts/token-status";
import { Text } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { formatRelative, formatTime, useFormat } from "#lib/format/quota.ts";
import { Stat, Stats } from "#ui/figures/stats.tsx";
import { UsageBar } from "#ui/figures/usage-bar.tsx";
import { callLimitLabels } from "./token-labels.ts";
import classes from "./tokens.module.css";

export function TokenLimits({ token }: { token: TokenRow }) {
  const { t } = useTranslation("tokens");
  const format = useFormat();
  const { rates } = token.setting;
  const { used_quota: used, remain_quota: left, unlimited_quota: unlimited } = token;
  const calls = callLimitLabels(rates, t, format);
  return (
    <section aria-label={t("Limits")}>
      <Stats
        columns={4}
        footer={
          calls.length === 0 ? null : (
            <Text fz="sm">
              <Text span fz="inherit" c="dimmed">
                {t("Further limits")}
              </Text>{" "}
              {calls.join(" · ")}
            </Text>
          )
        }
      >
        <LimitStat
          title={t("Used in total")}
          used={used}
          limit={unlimited ? undefined : used + Math.max(left, 0)}
        />
        <LimitStat
          title={t("Used today")}
          used={token.day_quota}
          limit={rates.daily_spend || undefined}
          resetsAt={token.day_resets_at}
        />
        <LimitStat
          title={t("Used this month")}
          used={token.month_quota}
          limit={rates.monthly_spend || undefined}
          resetsAt={token.month_resets_at}
        />
        <ExpiryStat time={token.expired_time} isOver={token.status === TokenStatus.expired} />
      </Stats>
    </section>
  );
}

type LimitStatProps = {
  title: string;
  used: number;
  /** Undefined without a limit. */
  limit: number | undefined;
  /** Undefined for a limit that does not begin again. */
  resetsAt?: number;
};

function LimitStat({ title, used, limit, resetsAt }: LimitStatProps) {
  const { t } = useTranslation("tokens");
  const format = useFormat();
  if (limit === undefined)
    return <Stat title={title} value={format.quota(used)} exact={format.exact(used)} line={t("No limit")} />;
  const left = Math.max(0, limit - used);
  // A token may be created with an amount of 0.
  const share = limit === 0 ? 1 : Math.min(1, used / limit);
  const tone = left === 0 ? "bad" : share >= 0.9 ? "warn" : undefined;
  return (
    <Stat
      title={title}
      value={
        <>
          {format.quota(used)}{" "}
          <Text span className={classes.ofLimit} title={format.exact(limit)}>
            {t("of {{amount}}", { amount: format.quota(limit) })}
          </Text>
        </>
      }
      exact={format.exact(used)}
      bad={tone === "bad" ? "line" : undefined}
      meter={
        <div className={classes.meter}>
          <UsageBar used={used} share={share} tone={tone} />
        </div>
      }
      line={
        <span title={resetsAt === undefined ? undefined : formatTime(resetsAt)}>
          {[
            left === 0 ? t("Used up") : t("{{amount}} left", { amount: format.quota(left) }),
            ...(resetsAt === undefined ? [] : [t("Resets {{when}}", { when: formatRelative(resetsAt) })]),
          ].join(" · ")}
        </span>
      }
    />
  );
}

function ExpiryStat({ time, isOver }: { time: number; isOver: boolean }) {
  const { t } = useTranslation("tokens");
  if (time === NEVER_EXPIRES) return <Stat title={t("Expires")} value={t("Never")} />;
  return (
    <Stat
      title={t("Expires")}
      value={isOver ? t("Expired") : formatRelative(time)}
      bad={isOver ? "figure" : undefined}
      line={formatTime(time)}
    />
  );
}
