/** The columns of the list of groups. */
import type { BudgetUses } from "@gateway/shared/accounts/budget";
import { formatSum } from "@gateway/shared/billing/money";
import { DEFAULT_GROUP } from "@gateway/shared/channels/default-group";
import type { UserGroupDetail } from "@gateway/shared/channels/group";
import { Badge, Box, Switch, Text, Tooltip } from "@mantine/core";
import type { TFunction } from "i18next";
import { useTranslation } from "react-i18next";
import { budgetColumn } from "#components/budgets/budget-bars.tsx";
import { useMayChange } from "#lib/changes.ts";
import { Short } from "#ui/short.tsx";
import { StatusDot } from "#ui/status-dot.tsx";
import type { Column } from "#ui/table/table-model.ts";
import { useGroupSwitch } from "./use-group-switch.ts";

/** @param budgets per group with a budget, the use of the member who has spent the most */
export function groupColumns(t: TFunction<"groups">, budgets: BudgetUses): Column<UserGroupDetail>[] {
  return [
    {
      id: "name",
      title: t("Name"),
      fixed: true,
      sortable: true,
      width: 180,
      cell: (group) => (
        <Box>
          <Short strong text={group.name} width={158} />
          <Text c="dimmed" fz="xs" ff="monospace">
            <Short text={group.symbol} width={158} />
          </Text>
        </Box>
      ),
    },
    { id: "enable", title: t("Enabled"), sortable: true, cell: (group) => <EnableSwitch group={group} /> },
    {
      id: "ratio",
      title: t("Ratio"),
      align: "right",
      sortable: true,
      card: "fact",
      cell: (group) => (group.ratio === 0 ? t("Free") : `×${group.ratio}`),
    },
    {
      id: "api_rate",
      title: t("Requests per minute"),
      align: "right",
      sortable: true,
      card: "fact",
      cell: (group) => formatSum(group.api_rate, 0),
    },
    {
      id: "public",
      secondary: true,
      title: t("Public"),
      sortable: true,
      cell: (group) => (
        <Badge color={group.public ? "iris" : "gray"}>{group.public ? t("Public") : t("Members only")}</Badge>
      ),
    },
    {
      id: "min",
      secondary: true,
      title: t("Promotion"),
      sortable: true,
      cell: (group) => <Promotion group={group} />,
    },
    { ...budgetColumn(t("Budget per member"), (group) => budgets[group.id]), secondary: true },
    { id: "user_count", title: t("Accounts"), align: "right", cell: (group) => group.user_count },
    { id: "channel_count", title: t("Channels"), align: "right", cell: (group) => group.channel_count },
    { id: "id", title: "ID", align: "right", sortable: true, hidden: true, cell: (group) => group.id },
  ];
}

function Promotion({ group }: { group: UserGroupDetail }) {
  const { t } = useTranslation("groups");
  if (!group.promotion)
    return (
      <Text span c="dimmed" fz="inherit">
        –
      </Text>
    );
  return group.max === 0
    ? t("from ${{min}}", { min: group.min })
    : t("${{min}} to ${{max}}", { min: group.min, max: group.max });
}

function EnableSwitch({ group }: { group: UserGroupDetail }) {
  const { t } = useTranslation("groups");
  const mayChange = useMayChange();
  const toggle = useGroupSwitch(group);
  if (group.symbol === DEFAULT_GROUP)
    return (
      <Tooltip label={t("The default group cannot be disabled")}>
        <span tabIndex={0}>
          <StatusDot tone="good">{t("Always")}</StatusDot>
        </span>
      </Tooltip>
    );
  return (
    <Switch
      size="xs"
      aria-label={t("Enable {{name}}", { name: group.name })}
      checked={group.enable}
      disabled={!mayChange || toggle.isPending}
      onChange={(event) => toggle.mutate(event.currentTarget.checked)}
    />
  );
}
