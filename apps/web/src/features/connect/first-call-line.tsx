/** Reports the next call of the account as soon as it arrives. */
import type { LogRow } from "@gateway/shared/usage/log";
import { Anchor, Paper, Text } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { Link } from "react-router-dom";
import { useNextCall } from "#components/usage/use-next-call.ts";
import { pathOfCall } from "#lib/address/call-address.ts";
import { useFormat } from "#lib/format/quota.ts";
import { StatusDot } from "#ui/status-dot.tsx";
import classes from "./connect.module.css";

export function FirstCallLine() {
  const { t } = useTranslation("connect");
  const call = useNextCall(true);
  return (
    <Paper withBorder className={classes.live} role="status">
      {call === undefined ? (
        <>
          <span className={classes.waiting} aria-hidden />
          <Text fz="sm">{t("Waiting for your first call with these settings…")}</Text>
        </>
      ) : (
        <ReceivedCall call={call} />
      )}
    </Paper>
  );
}

function ReceivedCall({ call }: { call: LogRow }) {
  const { t } = useTranslation("connect");
  const format = useFormat();
  const failed = call.outcome === "failed";
  return (
    <>
      <StatusDot tone={failed ? "bad" : "good"}>
        {failed ? t("Call received, but it failed") : t("Call received")}
      </StatusDot>
      <Text fz="sm" c="dimmed">
        {failed
          ? [call.model_name, `${call.status} ${call.error_code}`].filter(Boolean).join(" · ")
          : [
              call.model_name,
              t("{{count}} tokens", { count: call.prompt_tokens + call.completion_tokens }),
              format.charge(call.quota),
            ].join(" · ")}
      </Text>
      <Anchor component={Link} to={pathOfCall(call.request_id)} fz="sm" ml="auto">
        {t("Open the call")}
      </Anchor>
    </>
  );
}
