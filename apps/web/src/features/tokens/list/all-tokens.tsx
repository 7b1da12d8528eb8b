/**
 * Tokens of all users, for administrators: search, disable, change the owner. Without the keys themselves.
 */
import type { TokenAdminRow, CreatedToken } from "@gateway/shared/accounts/token";
import { TokenStatus } from "@gateway/shared/accounts/token-status";
import { ActionIcon, Anchor, Button, Menu } from "@mantine/core";
import {
  IconChartBar,
  IconDots,
  IconEdit,
  IconGauge,
  IconPlayerPause,
  IconPlayerPlay,
  IconPlus,
} from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useMemo, useState } from "react";
import { useTranslation } from "react-i18next";
import { Link } from "react-router-dom";
import { useGroupNames } from "#components/group-name.tsx";
import { allTokensQuery, fetchAnyToken } from "#features/tokens/api.ts";
import { CreatedTokenDialog } from "#features/tokens/created-token-dialog.tsx";
import { OwnedTokenDrawer } from "#features/tokens/form/owned-token-form.tsx";
import { TokenForDrawer } from "#features/tokens/form/token-for-form.tsx";
import { useTokenSwitch } from "#features/tokens/use-token-switch.ts";
import { NEW, useDrawerParam } from "#lib/address/drawer-param.ts";
import { useListParams } from "#lib/address/list-params.ts";
import { allTokensParams } from "#lib/address/list-queries.ts";
import { useFormat } from "#lib/format/quota.ts";
import { useBudgetUses } from "#lib/queries/budgets.ts";
import { useMayEnter, useSelf } from "#lib/session.ts";
import { Empty } from "#ui/empty.tsx";
import { lazyPart } from "#ui/lazy-part.tsx";
import { RowMissing } from "#ui/page/opened-row-states.tsx";
import { OpenedRow } from "#ui/page/opened-row.tsx";
import { Page } from "#ui/page/page.tsx";
import { DataTable } from "#ui/table/data-table.tsx";
import { DroppedFilters } from "#ui/table/dropped-filters.tsx";
import { NoMatches, SearchBox } from "#ui/table/filters.tsx";
import { pagedList } from "#ui/table/paged-list.ts";
import type { Column } from "#ui/table/table-model.ts";
import { BillingTagFilter } from "./billing-tag-filter.tsx";
import { tokenColumns } from "./token-columns.tsx";

const BudgetDialog = lazyPart(() =>
  import("#components/budgets/budget-dialog.tsx").then((module) => module.BudgetDialog),
);

/** @param switcher switches between the user's own tokens and these */
export function AllTokens({ switcher }: { switcher: ReactNode }) {
  const { t } = useTranslation("tokens");
  const format = useFormat();
  const self = useSelf();
  const mayEdit = useMayEnter("tokens", "edit");
  const [params, setParams] = useListParams(allTokensParams);
  const tokens = useQuery(allTokensQuery(params));
  const groupName = useGroupNames();
  const edited = useDrawerParam();
  const budgeted = useDrawerParam("budget");
  const budgets = useBudgetUses("token", tokens.data?.data);
  const [created, setCreated] = useState<CreatedToken | null>(null);
  const columns = useMemo(
    () => ownedColumns(tokenColumns(t, format, groupName, true, budgets), t("Belongs to")),
    [t, format, groupName, budgets],
  );
  const mayTouch = (token: TokenAdminRow) =>
    mayEdit &&
    self !== null &&
    self !== undefined &&
    (token.owner_role < self.role || token.user_id === self.id);
  const filtered = params.keyword !== "" || params.billing_tag !== "" || params.user_id !== 0;
  return (
    <Page
      title={t("Tokens")}
      description={t("API keys of all users.")}
      actions={
        mayEdit ? (
          <Button leftSection={<IconPlus size={16} />} onClick={() => edited.open(NEW)}>
            {t("New token")}
          </Button>
        ) : null
      }
    >
      <DroppedFilters params={allTokensParams} />
      <DataTable
        id="tokens-all"
        views="tokens-all"
        label={t("All users' tokens")}
        columns={columns}
        {...pagedList(tokens, params, setParams)}
        rowKey={(token) => String(token.id)}
        onOpen={(token) => (mayTouch(token) ? edited.open(token.id) : undefined)}
        rowActions={(token) =>
          mayTouch(token) ? (
            <Actions
              token={token}
              onEdit={() => edited.open(token.id)}
              onBudget={() => budgeted.open(token.id)}
            />
          ) : null
        }
        toolbar={
          <>
            {switcher}
            <SearchBox
              value={params.keyword}
              onChange={(keyword) => setParams({ keyword })}
              placeholder={t("Search by name or owner")}
            />
            <BillingTagFilter
              value={params.billing_tag}
              onChange={(billing_tag) => setParams({ billing_tag })}
            />
          </>
        }
        empty={
          filtered ? (
            <NoMatches
              title={t("No token matches")}
              onClear={() => setParams({ keyword: "", billing_tag: "", user_id: 0 })}
            />
          ) : (
            <Empty title={t("No user has a token yet")} />
          )
        }
      />
      <OpenedRow
        opened={edited}
        rows={tokens.data?.data}
        keyOf={(token) => String(token.id)}
        load={fetchAnyToken}
        create={
          mayEdit ? (
            <TokenForDrawer userId={params.user_id} onClose={edited.close} onCreated={setCreated} />
          ) : undefined
        }
      >
        {(token) =>
          mayTouch(token) ? (
            <OwnedTokenDrawer key={token.id} token={token} onClose={edited.close} />
          ) : (
            <RowMissing onClose={edited.close} />
          )
        }
      </OpenedRow>
      <OpenedRow
        opened={budgeted}
        rows={tokens.data?.data}
        keyOf={(token) => String(token.id)}
        load={fetchAnyToken}
      >
        {(token) => (
          <BudgetDialog
            key={token.id}
            target="token"
            id={token.id}
            name={token.name}
            onClose={budgeted.close}
          />
        )}
      </OpenedRow>
      {created ? <CreatedTokenDialog token={created} forOther onClose={() => setCreated(null)} /> : null}
    </Page>
  );
}

/** Adds the owner in front. The key is only a hint: no one may copy another user's key. */
function ownedColumns(columns: ReturnType<typeof tokenColumns>, title: string): Column<TokenAdminRow>[] {
  const owner: Column<TokenAdminRow> = {
    id: "user_id",
    title,
    width: 130,
    cell: (token) => <OwnerCell token={token} />,
  };
  const [name, ...rest] = columns.filter((column) => column.id !== "key");
  return name === undefined ? [owner] : [{ ...name, card: "title" }, owner, ...rest];
}

function OwnerCell({ token }: { token: TokenAdminRow }) {
  const seesUsers = useMayEnter("users");
  if (!seesUsers) return token.owner_name;
  return (
    <Anchor
      component={Link}
      fz="inherit"
      to={`/panel/user?user=${token.user_id}`}
      onClick={(event) => event.stopPropagation()}
    >
      {token.owner_name}
    </Anchor>
  );
}

type ActionsProps = { token: TokenAdminRow; onEdit: () => void; onBudget: () => void };

function Actions({ token, onEdit, onBudget }: ActionsProps) {
  const { t } = useTranslation("tokens");
  const switching = useTokenSwitch(token, false);
  const off = token.status === TokenStatus.disabled;
  return (
    <Menu position="bottom-end" width={190}>
      <Menu.Target>
        <ActionIcon
          size={30}
          loading={switching.isPending}
          aria-label={t("More actions for {{name}}", { name: token.name })}
        >
          <IconDots size={17} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item leftSection={<IconChartBar size={15} />} component={Link} to={`/panel/token/${token.id}`}>
          {t("Usage")}
        </Menu.Item>
        <Menu.Item leftSection={<IconEdit size={15} />} onClick={onEdit}>
          {t("Edit or transfer")}
        </Menu.Item>
        <Menu.Item leftSection={<IconGauge size={15} />} onClick={onBudget}>
          {t("Set the budget")}
        </Menu.Item>
        <Menu.Item
          leftSection={off ? <IconPlayerPlay size={15} /> : <IconPlayerPause size={15} />}
          onClick={() => switching.mutate(off)}
        >
          {off ? t("Enable") : t("Disable")}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
