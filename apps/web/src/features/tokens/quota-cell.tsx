import type { TokenRow } from "@gateway/shared/accounts/token";
import { Text, Tooltip } from "@mantine/core";
import { useTranslation } from "react-i18next";
import type { useFormat } from "#lib/quota.ts";
import classes from "./tokens.module.css";

type Format = ReturnType<typeof useFormat>;

/** The used amount, the remaining amount, and a progress bar. */
export function QuotaCell({ token, format }: { token: TokenRow; format: Format }) {
  const { t } = useTranslation();
  const { used_quota: used, remain_quota: left, unlimited_quota: unlimited } = token;
  const share = used + left > 0 ? used / (used + left) : 1;
  const exact = unlimited
    ? t("{{used}} points used, no limit", { count: used, used: format.whole(used) })
    : t("{{used}} points used, {{left}} left", {
        count: used,
        used: format.whole(used),
        left: format.whole(left),
      });
  return (
    <Tooltip label={exact}>
      <div className={classes.quota}>
        <div className={classes.quotaLine}>
          <Text span fz="inherit">
            {format.quota(used)}
          </Text>
          <Text span fz="inherit" c={unlimited ? "dimmed" : undefined}>
            {unlimited ? t("No limit") : format.quota(left)}
          </Text>
        </div>
        {unlimited ? null : (
          <div className={classes.bar} aria-hidden>
            <div
              data-tone={left <= 0 ? "bad" : share >= 0.9 ? "warn" : undefined}
              style={{ width: `${Math.max(share * 100, used > 0 ? 3 : 0)}%` }}
            />
          </div>
        )}
      </div>
    </Tooltip>
  );
}
