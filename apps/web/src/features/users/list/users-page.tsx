/** The list of accounts: search, balance, roles and status. Details open beside the list. */
import type { UserListRow } from "@gateway/shared/accounts/user";
import { Button } from "@mantine/core";
import { IconUserPlus, IconUsers } from "@tabler/icons-react";
import { type QueryClient, useQuery } from "@tanstack/react-query";
import { useCallback, useState } from "react";
import { useTranslation } from "react-i18next";
import { fetchUser } from "#features/users/api.ts";
import { UserActions } from "#features/users/user-actions.tsx";
import { NEW, useDrawerParam } from "#lib/address/drawer-param.ts";
import { useListParams } from "#lib/address/list-params.ts";
import { userParams } from "#lib/address/list-queries.ts";
import { initialOf } from "#lib/address/params.ts";
import { useMayChange } from "#lib/changes.ts";
import { useBudgetUses } from "#lib/queries/budgets.ts";
import { fetchUsers, usersQuery } from "#lib/queries/users.ts";
import { useMayEnter } from "#lib/session.ts";
import { Empty } from "#ui/empty.tsx";
import { lazyPart } from "#ui/lazy-part.tsx";
import { RowMissing } from "#ui/page/opened-row-states.tsx";
import { OpenedRow } from "#ui/page/opened-row.tsx";
import { Page } from "#ui/page/page.tsx";
import { RefreshButton } from "#ui/refresh-button.tsx";
import { DataTable } from "#ui/table/data-table.tsx";
import { DroppedFilters } from "#ui/table/dropped-filters.tsx";
import { NoMatches } from "#ui/table/filters.tsx";
import { pagedList } from "#ui/table/paged-list.ts";
import { useSeenRows } from "#ui/table/seen-rows.ts";
import { UserBulkBar } from "./user-bulk-bar.tsx";
import { useUserColumns } from "./user-columns.tsx";
import { UserExport } from "./user-export.tsx";
import { hasUserFilter, noFilters, UserFilters } from "./user-filters.tsx";

const BudgetDialog = lazyPart(() =>
  import("#components/budgets/budget-dialog.tsx").then((module) => module.BudgetDialog),
);

const ChooseUser = lazyPart(() => import("./choose-user.tsx").then((module) => module.ChooseUser));
const NewCustomer = lazyPart(() =>
  import("#features/users/new/new-customer.tsx").then((module) => module.NewCustomer),
);
const PromoteDialog = lazyPart(() =>
  import("#features/users/promote-dialog.tsx").then((module) => module.PromoteDialog),
);
const QuotaDialog = lazyPart(() =>
  import("#features/users/quota-dialog.tsx").then((module) => module.QuotaDialog),
);
const UserDrawer = lazyPart(() =>
  import("#features/users/user-drawer.tsx").then((module) => module.UserDrawer),
);
const EditUserDrawer = lazyPart(() =>
  import("#features/users/user-form.tsx").then((module) => module.EditUserDrawer),
);
const NewUserDrawer = lazyPart(() =>
  import("#features/users/new/new-user.tsx").then((module) => module.NewUserDrawer),
);

/** Address value of the budget before a user is selected. */
const ANY_USER = "user";

const byId = { keyOf: (row: UserListRow) => String(row.id), load: fetchUser };

/** Prefetches the first page of the list. */
export function prefetch(client: QueryClient): Promise<void> {
  return client.prefetchQuery(usersQuery(initialOf(userParams)));
}

export default function UsersPage() {
  const { t } = useTranslation("users");
  const [query, setQuery] = useListParams(userParams);
  const shown = useDrawerParam("user");
  const edited = useDrawerParam();
  const paid = useDrawerParam("balance");
  const [selected, setSelected] = useState<string[]>([]);
  const edits = useMayChange();
  const budgeted = useDrawerParam("budget");
  const givesKeys = useMayEnter("tokens", "edit");
  const promoted = useDrawerParam("promote");
  const customer = useDrawerParam("customer");
  const list = useQuery(usersQuery(query));
  const rows = list.data?.data;
  const columns = useUserColumns(useBudgetUses("user", rows));
  const rowsOf = useSeenRows(rows);
  const id = Number(shown.key);
  // Stable, so that a tick or an opened drawer renders only the rows that change.
  const { open: edit } = edited;
  const { open: changeQuota } = paid;
  const { open: changeBudget } = budgeted;
  const { open: promote } = promoted;
  const { close: closeDrawer } = shown;
  const rowActions = useCallback(
    (row: UserListRow) => (
      <UserActions
        row={row}
        onEdit={() => edit(row.id)}
        onQuota={() => changeQuota(row.id)}
        onBudget={() => changeBudget(row.id)}
        onPromote={() => promote(row.id)}
        onDeleted={() => {
          closeDrawer();
          setSelected([]);
        }}
      />
    ),
    [edit, changeQuota, changeBudget, promote, closeDrawer],
  );

  return (
    <Page
      title={t("Users")}
      description={t("All accounts, their balances and permissions.")}
      actions={
        edits ? (
          <>
            <Button variant="default" onClick={() => edited.open(NEW)}>
              {t("New user")}
            </Button>
            {givesKeys ? (
              <Button leftSection={<IconUserPlus size={16} />} onClick={() => customer.open(NEW)}>
                {t("New customer")}
              </Button>
            ) : null}
          </>
        ) : null
      }
    >
      <DroppedFilters params={userParams} />
      <DataTable
        id="users"
        views="users"
        label={t("Users")}
        columns={columns}
        {...pagedList(list, query, setQuery)}
        rowKey={(row) => String(row.id)}
        {...(edits
          ? {
              selection: {
                keys: selected,
                onChange: setSelected,
                all: {
                  total: list.data?.total_count,
                  load: () => rowsOf.all((page) => fetchUsers({ ...query, ...page })),
                },
              },
            }
          : {})}
        bulkActions={(keys) => <UserBulkBar rows={rowsOf.of(keys)} onDone={() => setSelected([])} />}
        rowActions={rowActions}
        onOpen={(row) => shown.open(row.id)}
        toolbar={<UserFilters query={query} onChange={setQuery} />}
        tools={
          <>
            <UserExport query={query} />
            <RefreshButton onRefresh={list.refetch} />
          </>
        }
        empty={
          hasUserFilter(query) ? (
            <NoMatches title={t("No users match these filters")} onClear={() => setQuery(noFilters)} />
          ) : (
            <Empty icon={IconUsers} title={t("No users yet")} />
          )
        }
      />
      {shown.key !== "" && [edited, paid, budgeted, promoted].every(({ key }) => key === "") ? (
        Number.isSafeInteger(id) && id > 0 ? (
          <UserDrawer
            key={id}
            id={id}
            onClose={shown.close}
            onEdit={(row) => edit(row.id)}
            onQuota={(row) => changeQuota(row.id)}
            onBudget={(row) => changeBudget(row.id)}
          />
        ) : (
          <RowMissing onClose={shown.close} />
        )
      ) : null}
      <UserDialogs rows={rows} />
    </Page>
  );
}

/** The forms of one user. Each has a parameter of its own in the address. */
function UserDialogs({ rows }: { rows: UserListRow[] | undefined }) {
  const { t } = useTranslation("users");
  const edited = useDrawerParam();
  const customer = useDrawerParam("customer");
  const paid = useDrawerParam("balance");
  const promoted = useDrawerParam("promote");
  const budgeted = useDrawerParam("budget");
  const edits = useMayChange();
  const givesKeys = useMayEnter("tokens", "edit");
  return (
    <>
      <OpenedRow
        opened={edited}
        {...byId}
        rows={rows}
        create={edits ? <NewUserDrawer onClose={edited.close} /> : undefined}
      >
        {(row) => <EditUserDrawer key={row.id} user={row} onClose={edited.close} />}
      </OpenedRow>
      {customer.key === NEW && edits && givesKeys ? <NewCustomer onClose={customer.close} /> : null}
      <OpenedRow opened={paid} {...byId} rows={rows}>
        {(row) => <QuotaDialog key={row.id} user={row} onClose={paid.close} />}
      </OpenedRow>
      <OpenedRow opened={promoted} {...byId} rows={rows}>
        {(row) => <PromoteDialog key={row.id} user={row} onClose={promoted.close} />}
      </OpenedRow>
      {budgeted.key === ANY_USER ? (
        <ChooseUser
          title={t("Limit the spending of a user")}
          onChoose={budgeted.replace}
          onClose={budgeted.close}
        />
      ) : (
        <OpenedRow opened={budgeted} {...byId} rows={rows}>
          {(row) => (
            <BudgetDialog
              key={row.id}
              target="user"
              id={row.id}
              name={row.username}
              onClose={budgeted.close}
            />
          )}
        </OpenedRow>
      )}
    </>
  );
}
