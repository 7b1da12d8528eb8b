/** The keys that clients have derived from a token, with what each has spent. */
import type { DerivedKeyRow } from "@gateway/shared/accounts/derived-key";
import { ActionIcon, Anchor, Menu, Text } from "@mantine/core";
import { IconDots, IconKeyOff, IconListDetails, IconSitemap } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import type { TFunction } from "i18next";
import { useCallback, useMemo, useState } from "react";
import { useTranslation } from "react-i18next";
import { Link } from "react-router-dom";
import { Amount } from "#components/amount.tsx";
import { initialOf, paging } from "#lib/address/params.ts";
import { confirm } from "#ui/confirm.tsx";
import { Empty } from "#ui/empty.tsx";
import { UsageBar } from "#ui/figures/usage-bar.tsx";
import { RelativeTime } from "#ui/relative-time.tsx";
import { StatusDot } from "#ui/status-dot.tsx";
import { DataTable } from "#ui/table/data-table.tsx";
import { pagedList } from "#ui/table/paged-list.ts";
import type { Column } from "#ui/table/table-model.ts";
import { toast } from "#ui/toast.tsx";
import { derivedKeysQuery, useRevokeDerivedKey } from "./api.ts";
import classes from "./tokens.module.css";

export function DerivedKeys({ token }: { token: number }) {
  const { t } = useTranslation("tokens");
  const [state, setState] = useState(() => initialOf(paging));
  const keys = useQuery(derivedKeysQuery(token, state));
  const [now] = useState(() => Date.now() / 1000);
  const columns = useMemo(() => columnsOf(t, now), [t, now]);
  const rowActions = useCallback(
    (row: DerivedKeyRow) => <DerivedKeyActions token={token} row={row} isOver={isOver(row, now)} />,
    [token, now],
  );
  const about = t(
    "Keys that your applications have derived from this API key for sub-agents. A derived key is listed after its first call, until a week after it has expired.",
  );
  return (
    <DataTable
      id="derived-keys"
      label={t("Derived keys")}
      columns={columns}
      {...pagedList(keys, state, (patch) => setState((before) => ({ ...before, ...patch })))}
      rowKey={(row) => row.id}
      rowActions={rowActions}
      toolbar={
        <Text c="dimmed" fz="sm">
          {about}
        </Text>
      }
      empty={
        <Empty
          icon={IconSitemap}
          title={t("No derived key was used yet")}
          hint={t(
            "An agent can give each sub-agent a key with an amount, models, addresses and an expiry, without a request to the gateway.",
          )}
          action={
            <Anchor component={Link} to="/panel/help/derived-keys" fz="sm">
              {t("How to derive keys")}
            </Anchor>
          }
        />
      }
    />
  );
}

function isOver({ revoked_at, expires_at }: DerivedKeyRow, now: number): boolean {
  return revoked_at !== null || expires_at <= now;
}

/** The label, or the beginning of the ID. */
function nameOf({ label, id }: DerivedKeyRow): string {
  return label === "" ? id.slice(0, 8) : label;
}

function columnsOf(t: TFunction<"tokens">, now: number): Column<DerivedKeyRow>[] {
  return [
    {
      id: "label",
      title: t("Label"),
      sortable: true,
      fixed: true,
      width: 180,
      card: "title",
      cell: (row) => (
        <Text
          span
          fz="inherit"
          fw={500}
          truncate
          title={row.id}
          ff={row.label === "" ? "monospace" : undefined}
        >
          {nameOf(row)}
        </Text>
      ),
    },
    {
      id: "status",
      title: t("Status"),
      card: "fact",
      cell: (row) =>
        row.revoked_at !== null ? (
          <StatusDot tone="bad">{t("Revoked")}</StatusDot>
        ) : row.expires_at <= now ? (
          <StatusDot tone="idle">{t("Expired")}</StatusDot>
        ) : (
          <StatusDot tone="good">{t("Active")}</StatusDot>
        ),
    },
    {
      id: "spent",
      title: t("Spent / maximum"),
      sortable: true,
      card: "fact",
      width: 160,
      align: "right",
      amounts: (row) => (row.quota === null ? [row.spent] : [row.spent, row.quota]),
      cell: (row) => <SpentCell row={row} />,
    },
    {
      id: "used_at",
      title: t("Last used"),
      sortable: true,
      cell: (row) => <RelativeTime inList seconds={row.used_at} />,
    },
    {
      id: "expires_at",
      title: t("Expires"),
      sortable: true,
      cell: (row) => <RelativeTime inList seconds={row.expires_at} />,
    },
    {
      id: "parent",
      title: t("Derived from"),
      secondary: true,
      cell: ({ parent_id: parent }) =>
        parent === null ? (
          t("the API key")
        ) : (
          <Text span fz="inherit" ff="monospace" title={parent}>
            {parent.slice(0, 8)}
          </Text>
        ),
    },
    {
      id: "created_at",
      title: t("First used"),
      sortable: true,
      hidden: true,
      cell: (row) => <RelativeTime inList seconds={row.created_at} />,
    },
  ];
}

function SpentCell({ row: { spent, quota } }: { row: DerivedKeyRow }) {
  const { t } = useTranslation("tokens");
  const share = quota === null || quota === 0 ? 1 : spent / quota;
  return (
    <div className={classes.quota}>
      <div>
        <Amount column="spent" points={spent} />
        {" / "}
        <Text span fz="inherit" c={quota === null ? "dimmed" : undefined}>
          {quota === null ? t("No limit") : <Amount column="spent" points={quota} />}
        </Text>
      </div>
      {quota === null ? null : (
        <UsageBar used={spent} share={share} tone={share >= 1 ? "bad" : share >= 0.9 ? "warn" : undefined} />
      )}
    </div>
  );
}

type ActionsProps = { token: number; row: DerivedKeyRow; isOver: boolean };

function DerivedKeyActions({ token, row, isOver }: ActionsProps) {
  const { t } = useTranslation("tokens");
  const revoking = useRevokeDerivedKey(token);
  const revoke = async () => {
    const isSure = await confirm({
      title: t("Revoke “{{name}}”?", { name: nameOf(row) }),
      body: t(
        "Calls with this key, and with keys that were derived from it, end immediately. This cannot be undone.",
      ),
      action: t("Revoke"),
    });
    if (isSure) revoking.mutate(row.id, { onSuccess: () => toast.success(t("Derived key revoked")) });
  };
  return (
    <Menu position="bottom-end" width={180}>
      <Menu.Target>
        <ActionIcon size={30} aria-label={t("More actions for {{name}}", { name: nameOf(row) })}>
          <IconDots size={17} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item
          leftSection={<IconListDetails size={15} />}
          component={Link}
          to={`/panel/log?${new URLSearchParams({ derived_key: row.id, range: "all" })}`}
        >
          {t("Show its calls")}
        </Menu.Item>
        <Menu.Item
          color="red"
          leftSection={<IconKeyOff size={15} />}
          disabled={isOver}
          onClick={() => void revoke()}
        >
          {t("Revoke")}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
