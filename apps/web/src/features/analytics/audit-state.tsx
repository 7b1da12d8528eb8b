/** Result of the last recomputation of all balances, and a button that starts a new one. */
import type { SiteStatistics } from "@gateway/shared/usage/analytics";
import { Anchor, Text } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { useMayChange } from "#lib/changes.ts";
import { useFormat } from "#lib/format/quota.ts";
import { RelativeTime } from "#ui/relative-time.tsx";
import { StatusDot } from "#ui/status-dot.tsx";
import { useAudit } from "./api.ts";

export function AuditState({ audit }: Pick<SiteStatistics, "audit">) {
  const { t } = useTranslation("analytics");
  const format = useFormat();
  const mayChange = useMayChange();
  const run = useAudit();
  const drifts = run.data?.detail ?? [];
  return (
    <>
      {audit === null ? (
        <StatusDot tone="idle">{t("Not run yet")}</StatusDot>
      ) : audit.drift === 0 ? (
        <StatusDot tone="good">{t("No drift")}</StatusDot>
      ) : (
        <StatusDot tone="bad">{t("{{amount}} drift", { amount: format.quota(audit.drift) })}</StatusDot>
      )}
      <Text component="span" display="block" fz="xs" c="dimmed">
        {audit === null ? (
          t("Every balance is recalculated each night.")
        ) : (
          <>
            {t("{{count}} balances,", { count: audit.checked })} <RelativeTime seconds={audit.created_time} />
          </>
        )}
        {mayChange ? (
          <>
            {" · "}
            <Anchor
              component="button"
              type="button"
              fz="inherit"
              disabled={run.isPending}
              onClick={() => run.mutate()}
            >
              {run.isPending ? t("Checking…") : t("Check now")}
            </Anchor>
          </>
        ) : null}
      </Text>
      {drifts.slice(0, 10).map((row) => (
        <Text key={`${row.what}:${row.id}`} component="span" display="block" fz="xs" c="red">
          {t("{{what}} {{id}}: {{actual}} instead of {{expected}}", row)}
        </Text>
      ))}
    </>
  );
}
