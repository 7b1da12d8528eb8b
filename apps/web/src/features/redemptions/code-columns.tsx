/** Columns of the list of redemption codes. */
import type { RedemptionRow } from "@gateway/shared/billing/redemption";
import { RedemptionStatus } from "@gateway/shared/billing/redemption-status";
import { Group, Switch, Text } from "@mantine/core";
import type { TFunction } from "i18next";
import { useTranslation } from "react-i18next";
import { amountColumn } from "#components/amount.tsx";
import { useMayChange } from "#lib/changes.ts";
import { CopyCode } from "#ui/copy.tsx";
import { RelativeTime } from "#ui/relative-time.tsx";
import { Short } from "#ui/short.tsx";
import { StatusDot } from "#ui/status-dot.tsx";
import type { Column } from "#ui/table/table-model.ts";
import { statusOfCode } from "./code-status.ts";
import { useCodeSwitch } from "./use-code-switch.ts";

export function codeColumns(t: TFunction<"redemptions">): Column<RedemptionRow>[] {
  return [
    {
      id: "name",
      title: t("Name"),
      fixed: true,
      sortable: true,
      width: 160,
      cell: (row) => <Short strong text={row.name} width={180} />,
    },
    {
      id: "key",
      title: t("Redemption code"),
      width: 150,
      cell: (row) => (
        <CopyCode
          text={row.key}
          label={t("Redemption code")}
          shown={`${row.key.slice(0, 8)}…${row.key.slice(-4)}`}
        />
      ),
    },
    { id: "status", title: t("Status"), sortable: true, card: "fact", cell: (row) => <Status row={row} /> },
    amountColumn({ id: "quota", title: t("Face value"), sortable: true, card: "fact" }, (row) => row.quota),
    {
      id: "redeemed_by",
      secondary: true,
      title: t("Redeemed by"),
      cell: (row) =>
        row.redeemed_by === null ? (
          <Text span c="dimmed" fz="inherit">
            –
          </Text>
        ) : (
          <Short text={row.redeemer || `#${row.redeemed_by}`} width={120} />
        ),
    },
    {
      id: "redeemed_time",
      secondary: true,
      title: t("Redeemed"),
      sortable: true,
      cell: (row) => <RelativeTime inList seconds={row.redeemed_time} />,
    },
    {
      id: "expires_at",
      title: t("Valid until"),
      sortable: true,
      cell: (row) =>
        row.expires_at === null ? (
          <Text span c="dimmed" fz="inherit">
            {t("No expiry")}
          </Text>
        ) : (
          <RelativeTime inList seconds={row.expires_at} />
        ),
    },
    {
      id: "created_time",
      secondary: true,
      title: t("Created"),
      sortable: true,
      cell: (row) => <RelativeTime inList seconds={row.created_time} />,
    },
    { id: "id", title: "ID", align: "right", sortable: true, hidden: true, cell: (row) => row.id },
  ];
}

function Status({ row }: { row: RedemptionRow }) {
  const { t } = useTranslation("redemptions");
  const mayChange = useMayChange();
  const toggle = useCodeSwitch(row);
  const { word, tone } = statusOfCode(row);
  const isShownBySwitch = tone === "good" || row.status === RedemptionStatus.disabled;
  return (
    <Group gap={10} wrap="nowrap">
      {row.status === RedemptionStatus.used ? null : (
        <Switch
          size="xs"
          aria-label={t("Enable {{name}}", { name: `${row.name} #${row.id}` })}
          checked={row.status === RedemptionStatus.enabled}
          disabled={!mayChange || toggle.isPending}
          onChange={(event) => toggle.mutate(event.currentTarget.checked)}
        />
      )}
      {/* The switch already says whether a code is enabled. */}
      {isShownBySwitch ? null : <StatusDot tone={tone}>{t(word)}</StatusDot>}
    </Group>
  );
}
