import type { BudgetUses } from "@gateway/shared/accounts/budget";
import type { UserListRow } from "@gateway/shared/accounts/user";
import { UserStatus } from "@gateway/shared/accounts/user-status";
import { Avatar, Group, Text, Tooltip } from "@mantine/core";
import { IconShieldCheck } from "@tabler/icons-react";
import { useMemo } from "react";
import { useTranslation } from "react-i18next";
import { amountColumn } from "#components/amount.tsx";
import { budgetColumn } from "#components/budgets/budget-bars.tsx";
import { useGroupNames } from "#components/group-name.tsx";
import { RoleBadge } from "#components/role-badge.tsx";
import { useFormat } from "#lib/format/quota.ts";
import { RelativeTime } from "#ui/relative-time.tsx";
import { Short } from "#ui/short.tsx";
import { StatusDot } from "#ui/status-dot.tsx";
import type { Column } from "#ui/table/table-model.ts";
import { Bindings } from "./bindings.tsx";

export function UserStatusDot({ status }: { status: number }) {
  const { t } = useTranslation("users");
  return status === UserStatus.enabled ? (
    <StatusDot tone="good">{t("Enabled")}</StatusDot>
  ) : (
    <StatusDot tone="bad">{t("Disabled")}</StatusDot>
  );
}

function Person({ row }: { row: UserListRow }) {
  const { t } = useTranslation("users");
  const other = row.display_name !== "" && row.display_name !== row.username ? row.display_name : "";
  const under = [other, row.email].filter(Boolean).join(" · ");
  return (
    <Group gap={10} wrap="nowrap">
      {/* Initials: a picture would tell its server when and from where an administrator looks. */}
      <Avatar name={row.username} alt="" size={28} radius={28} color="iris">
        {row.username.slice(0, 1).toUpperCase()}
      </Avatar>
      <div style={{ minWidth: 0 }}>
        <Group gap={5} wrap="nowrap">
          <Text span fz="inherit" fw={500} truncate maw="calc(120px + var(--spare))" title={row.username}>
            {row.username}
          </Text>
          {row.totp_enabled ? (
            <Tooltip label={t("Signs in with a second factor")}>
              <IconShieldCheck
                size={15}
                stroke={1.7}
                color="var(--mantine-color-green-6)"
                tabIndex={0}
                aria-label={t("Signs in with a second factor")}
              />
            </Tooltip>
          ) : null}
        </Group>
        <Text fz="xs" c="dimmed" truncate maw="calc(120px + var(--spare))" title={under}>
          {under}
        </Text>
      </div>
    </Group>
  );
}

/** @param budgets use of these rows' budgets, by id */
export function useUserColumns(budgets: BudgetUses): Column<UserListRow>[] {
  const { t } = useTranslation("users");
  const format = useFormat();
  const nameOf = useGroupNames();
  const hasBudgets = Object.keys(budgets).length > 0;
  return useMemo(
    () => [
      {
        id: "username",
        title: t("Username"),
        sortable: true,
        fixed: true,
        width: 190,
        cell: (row) => <Person row={row} />,
      },
      {
        id: "id",
        secondary: hasBudgets,
        title: "ID",
        sortable: true,
        align: "right",
        card: "none",
        cell: (row) => row.id,
      },
      {
        id: "group",
        secondary: hasBudgets,
        title: t("Group"),
        sortable: true,
        cell: (row) => <Short text={nameOf(row.group)} width={78} />,
      },
      { id: "role", title: t("Role"), sortable: true, cell: (row) => <RoleBadge role={row.role} /> },
      amountColumn({ id: "quota", title: t("Balance"), sortable: true, card: "fact" }, (row) => row.quota),
      amountColumn(
        { id: "used_quota", secondary: hasBudgets, title: t("Used"), sortable: true, card: "fact" },
        (row) => row.used_quota,
      ),
      // The list has many columns: with budgets, the less important ones leave their place.
      ...(hasBudgets ? [budgetColumn<UserListRow>(t("Budget"), (row) => budgets[row.id])] : []),
      {
        id: "request_count",
        secondary: true,
        title: t("Successful calls"),
        sortable: true,
        align: "right",
        cell: (row) => format.whole(row.request_count),
      },
      {
        id: "providers",
        secondary: true,
        title: t("Linked"),
        hidden: hasBudgets,
        card: "none",
        cell: (row) => <Bindings providers={row.providers} email={row.email} />,
      },
      {
        id: "status",
        title: t("Status"),
        sortable: true,
        cell: (row) => <UserStatusDot status={row.status} />,
      },
      {
        id: "last_login_time",
        secondary: true,
        title: t("Last sign-in"),
        sortable: true,
        hidden: hasBudgets,
        cell: (row) => <RelativeTime inList seconds={row.last_login_time} />,
      },
      {
        id: "created_time",
        title: t("Created"),
        sortable: true,
        hidden: true,
        cell: (row) => <RelativeTime inList seconds={row.created_time} />,
      },
      {
        id: "last_login_ip",
        title: t("Last IP address"),
        sortable: true,
        hidden: true,
        cell: (row) => (
          <Text span ff="monospace" fz="xs">
            {row.last_login_ip || "–"}
          </Text>
        ),
      },
    ],
    [t, format, nameOf, budgets, hasBudgets],
  );
}
