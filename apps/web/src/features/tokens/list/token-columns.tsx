import type { BudgetUses } from "@gateway/shared/accounts/budget";
import type { TokenRow } from "@gateway/shared/accounts/token";
import { NEVER_EXPIRES } from "@gateway/shared/accounts/token-status";
import { Group, Text, Tooltip } from "@mantine/core";
import { IconArrowRight, IconBolt, IconGauge, IconShieldLock, IconTerminal2 } from "@tabler/icons-react";
import type { TFunction } from "i18next";
import { useState } from "react";
import { Amount } from "#components/amount.tsx";
import { budgetColumn } from "#components/budgets/budget-bars.tsx";
import { limitLabels, statusWord } from "#features/tokens/token-labels.ts";
import { joinList } from "#lib/format/join-list.ts";
import type { Formatters } from "#lib/format/quota.ts";
import { RelativeTime } from "#ui/relative-time.tsx";
import { StatusDot } from "#ui/status-dot.tsx";
import type { Column } from "#ui/table/table-model.ts";
import { KeyCell } from "./key-cell.tsx";
import { QuotaCell } from "./quota-cell.tsx";

const soonSeconds = 3 * 24 * 3600;

/**
 * @param tags whether billing tags are shown
 * @param budgets use of operators' budgets by id; the column is shown while a row has one
 */
export function tokenColumns(
  t: TFunction<"tokens">,
  format: Formatters,
  groupName: (symbol: string) => string,
  tags: boolean,
  budgets: BudgetUses,
): Column<TokenRow>[] {
  const columns: (Column<TokenRow> | false)[] = [
    {
      id: "name",
      title: t("Name"),
      sortable: true,
      fixed: true,
      width: 160,
      cell: (token) => <NameCell token={token} t={t} format={format} />,
    },
    { id: "key", title: t("Key"), width: 150, card: "title", cell: (token) => <KeyCell token={token} /> },
    {
      id: "status",
      title: t("Status"),
      sortable: true,
      card: "fact",
      cell: (token) => {
        const { text, tone } = statusWord(token.status);
        return <StatusDot tone={tone}>{t(text)}</StatusDot>;
      },
    },
    {
      id: "remain_quota",
      title: t("Used / left"),
      sortable: true,
      card: "fact",
      width: 150,
      align: "right",
      amounts: (token) =>
        token.unlimited_quota ? [token.used_quota] : [token.used_quota, token.remain_quota],
      cell: (token) => <QuotaCell token={token} column="remain_quota" />,
    },
    spentColumn("day_quota", t("Today"), ({ day_quota, setting }) => [day_quota, setting.rates.daily_spend]),
    spentColumn("month_quota", t("This month"), ({ month_quota, setting }) => [
      month_quota,
      setting.rates.monthly_spend,
    ]),
    Object.keys(budgets).length > 0 && budgetColumn(t("Budget"), (token) => budgets[token.id]),
    {
      id: "group",
      secondary: true,
      title: t("Group"),
      cell: (token) => <GroupCell token={token} nameOf={groupName} t={t} />,
    },
    tags && {
      id: "billing_tag",
      secondary: true,
      title: t("Billing tag"),
      cell: (token) => token.billing_tag || <Dash />,
    },
    {
      id: "accessed_time",
      title: t("Last used"),
      cell: (token) =>
        token.accessed_time === null ? (
          <Text span c="dimmed" fz="inherit">
            {t("Not used yet")}
          </Text>
        ) : (
          <RelativeTime inList seconds={token.accessed_time} />
        ),
    },
    {
      id: "created_time",
      title: t("Created"),
      sortable: true,
      hidden: true,
      cell: (token) => <RelativeTime inList seconds={token.created_time} />,
    },
    {
      id: "expired_time",
      title: t("Expires"),
      sortable: true,
      cell: (token) => <ExpiryCell time={token.expired_time} t={t} />,
    },
  ];
  return columns.filter((column) => column !== false);
}

function Dash() {
  return (
    <Text span c="dimmed" fz="inherit">
      –
    </Text>
  );
}

/** @param of what was spent in the period, and the limit; 0 = no limit */
function spentColumn(
  id: string,
  title: string,
  of: (token: TokenRow) => [spent: number, limit: number],
): Column<TokenRow> {
  return {
    id,
    title,
    hidden: true,
    align: "right",
    amounts: of,
    cell: (token) => {
      const [spent, limit] = of(token);
      return <SpentCell spent={spent} limit={limit} column={id} />;
    },
  };
}

function SpentCell({ spent, limit, column }: { spent: number; limit: number; column: string }) {
  const share = limit === 0 ? 0 : spent / limit;
  return (
    <Text span fz="inherit" c={share >= 1 ? "red" : share >= 0.9 ? "amber" : undefined}>
      <Amount column={column} points={spent} />
      {limit === 0 ? null : (
        <Text span fz="inherit" c="dimmed">
          {" / "}
          <Amount column={column} points={limit} />
        </Text>
      )}
    </Text>
  );
}

function NameCell({ token, t, format }: { token: TokenRow; t: TFunction<"tokens">; format: Formatters }) {
  const limits = limitLabels(token.setting.rates, t, format);
  const { limit_model_setting, limits_ip_setting } = token.setting.limits;
  const restrictions = [
    limit_model_setting.enabled ? t("Only certain models") : "",
    limits_ip_setting.enabled ? t("Only certain IP addresses") : "",
  ].filter((text) => text !== "");
  return (
    <Group gap={6} wrap="nowrap" maw={215}>
      <Text span fz="inherit" fw={500} truncate title={token.name}>
        {token.name}
      </Text>
      {token.device_name === "" ? null : (
        <Tooltip label={t("Signed in from {{device}}", { device: token.device_name })}>
          <Text
            span
            c="dimmed"
            lh={0}
            role="img"
            tabIndex={0}
            aria-label={t("Signed in from {{device}}", { device: token.device_name })}
          >
            <IconTerminal2 size={15} stroke={1.7} />
          </Text>
        </Tooltip>
      )}
      {restrictions.length > 0 ? (
        <Tooltip label={restrictions.join(" · ")}>
          <Text span c="dimmed" lh={0} role="img" tabIndex={0} aria-label={joinList(restrictions)}>
            <IconShieldLock size={15} stroke={1.7} />
          </Text>
        </Tooltip>
      ) : null}
      {token.setting.cache.enabled ? (
        <Tooltip label={t("Caches responses")}>
          <Text span c="dimmed" lh={0} role="img" tabIndex={0} aria-label={t("Caches responses")}>
            <IconBolt size={15} stroke={1.7} />
          </Text>
        </Tooltip>
      ) : null}
      {limits.length > 0 ? (
        <Tooltip label={limits.join(" · ")} multiline maw={320}>
          <Text span c="dimmed" lh={0} role="img" tabIndex={0} aria-label={joinList(limits)}>
            <IconGauge size={15} stroke={1.7} />
          </Text>
        </Tooltip>
      ) : null}
    </Group>
  );
}

type GroupCellProps = { token: TokenRow; nameOf: (symbol: string) => string; t: TFunction<"tokens"> };

function GroupCell({ token, nameOf, t }: GroupCellProps) {
  return (
    <Group gap={5} wrap="nowrap">
      {token.group === "" ? (
        <Text span c="dimmed" fz="inherit" style={{ whiteSpace: "nowrap" }}>
          {t("Account default")}
        </Text>
      ) : (
        <span>{nameOf(token.group)}</span>
      )}
      {token.backup_group === "" ? null : (
        <Tooltip label={t("Backup group: {{name}}", { name: nameOf(token.backup_group) })}>
          <Group gap={5} wrap="nowrap" c="dimmed" tabIndex={0}>
            <IconArrowRight size={13} aria-label={t("then")} />
            {nameOf(token.backup_group)}
          </Group>
        </Tooltip>
      )}
    </Group>
  );
}

function ExpiryCell({ time, t }: { time: number; t: TFunction<"tokens"> }) {
  const [now] = useState(() => Date.now() / 1000);
  if (time === NEVER_EXPIRES)
    return (
      <Text span c="dimmed" fz="inherit">
        {t("Never")}
      </Text>
    );
  const secondsLeft = time - now;
  return secondsLeft < soonSeconds ? (
    <StatusDot tone={secondsLeft <= 0 ? "bad" : "warn"}>
      <RelativeTime inList seconds={time} />
    </StatusDot>
  ) : (
    <RelativeTime inList seconds={time} />
  );
}
