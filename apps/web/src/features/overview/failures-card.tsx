/** Failed calls by reason, the most frequent first. */
import { LogType } from "@gateway/shared/usage/log-type";
import type { Failures } from "@gateway/shared/usage/overview";
import { Button, Text } from "@mantine/core";
import { IconCircleCheck } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import { Link } from "react-router-dom";
import { logAddress } from "#lib/address/log-address.ts";
import { useFormat } from "#lib/format/quota.ts";
import { failureLabel } from "#lib/labels/failure-labels.ts";
import { Section } from "#ui/page/page.tsx";
import { QuietLink } from "#ui/quiet-link.tsx";
import classes from "./overview.module.css";

type FailuresCardProps = { failures: Failures; failed: number; since: number };

export function FailuresCard({ failures: { reasons, complete }, failed, since }: FailuresCardProps) {
  const { t } = useTranslation("overview");
  const format = useFormat();
  const most = Math.max(1, ...reasons.map((reason) => reason.count));
  return (
    <Section
      title={t("Failed calls")}
      hint={complete ? undefined : t("Reasons for the newest 5,000 failed calls")}
      aside={
        failed > 0 ? (
          <Button
            component={Link}
            to={logAddress(since, { log_type: LogType.failed })}
            variant="default"
            size="xs"
          >
            {t("Open the log")}
          </Button>
        ) : null
      }
    >
      {reasons.length === 0 ? (
        <div className={classes.calm}>
          {failed > 0 ? null : <IconCircleCheck size={20} stroke={1.7} aria-hidden />}
          <Text c="dimmed" fz="sm">
            {failed > 0 ? t("These calls are no longer in the log.") : t("No failed calls")}
          </Text>
        </div>
      ) : (
        <ul className={classes.bars}>
          {reasons.map(({ code, status, count, users }) => {
            const label = failureLabel(code);
            return (
              <li key={`${code} ${status}`} style={{ "--share": count / most } as React.CSSProperties}>
                <span>
                  <QuietLink to={logAddress(since, { log_type: LogType.failed, error_code: code })}>
                    {label === undefined ? code || t("Unknown") : t(label)}
                  </QuietLink>{" "}
                  <small>{status}</small>
                </span>
                <span className="tabular" title={t("{{count}} customers affected", { count: users })}>
                  {format.whole(count)}
                </span>
              </li>
            );
          })}
        </ul>
      )}
    </Section>
  );
}
