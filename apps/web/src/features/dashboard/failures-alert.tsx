/** Failed calls of the last 24 hours by reason. Renders nothing without failures. */
import { LogType } from "@gateway/shared/usage/log-type";
import { Alert, Button, Group } from "@mantine/core";
import { IconAlertTriangle } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { Link } from "react-router-dom";
import { useFormat } from "#lib/format/quota.ts";
import { failureLabel } from "#lib/labels/failure-labels.ts";
import { dashboardQuery } from "./api.ts";
import classes from "./dashboard.module.css";

const daySeconds = 86_400;

export function FailuresAlert() {
  const { t } = useTranslation("dashboard");
  const format = useFormat();
  const dashboard = useQuery(dashboardQuery);
  const { reasons = [] } = dashboard.data?.failures ?? {};
  if (reasons.length === 0) return null;
  const total = reasons.reduce((sum, reason) => sum + reason.count, 0);
  const has = (code: string) => reasons.some((reason) => reason.code === code);
  const from = Math.floor(dashboard.dataUpdatedAt / 1000) - daySeconds;
  return (
    <Alert
      color="red"
      icon={<IconAlertTriangle size={18} />}
      title={t("{{count}} calls failed in the last 24 hours", { count: total })}
    >
      <ul className={classes.reasons}>
        {reasons.map(({ code, status, count }) => {
          const label = failureLabel(code);
          return (
            <li key={`${code} ${status}`}>
              {code === "insufficient_quota"
                ? t("{{count}} calls refused: balance empty", { count })
                : `${format.whole(count)} × ${label === undefined ? code || status : t(label)}`}
            </li>
          );
        })}
      </ul>
      <Group gap="xs">
        {has("insufficient_quota") ? (
          <Button component={Link} to="/panel/topup" size="xs">
            {t("Top up")}
          </Button>
        ) : null}
        {has("token_quota_exhausted") || has("spend_limit_reached") ? (
          <Button component={Link} to="/panel/token" size="xs" variant="default">
            {t("Open tokens")}
          </Button>
        ) : null}
        <Button
          component={Link}
          to={`/panel/log?log_type=${LogType.failed}&range=custom&from=${from}&view=own`}
          size="xs"
          variant="default"
        >
          {t("Open the log")}
        </Button>
      </Group>
    </Alert>
  );
}
