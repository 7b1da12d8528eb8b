/** Everyone with an account: find, judge, pay, promote, shut out. Details open beside the list. */
import { type UserListRow, UserQuery } from "@gateway/shared/accounts/user";
import { ActionIcon, Button, Tooltip } from "@mantine/core";
import { IconRefresh, IconUserPlus, IconUsers } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { useTranslation } from "react-i18next";
import { useSearchParams } from "react-router-dom";
import { useMayChange } from "#lib/changes.ts";
import { useListParams } from "#lib/list-params.ts";
import { usersQuery } from "#lib/queries/users.ts";
import { Empty } from "#ui/empty.tsx";
import { Page } from "#ui/page.tsx";
import { DataTable } from "#ui/table/data-table.tsx";
import { pagedList } from "#ui/table/paged-list.ts";
import { useSeenRows } from "#ui/table/seen-rows.ts";
import { BulkBar } from "./bulk-bar.tsx";
import { QuotaDialog } from "./quota-dialog.tsx";
import { UserActions } from "./user-actions.tsx";
import { useUserColumns } from "./user-columns.tsx";
import { UserDrawer } from "./user-drawer.tsx";
import { UserExport } from "./user-export.tsx";
import { isFiltered, noFilters, UserFilters } from "./user-filters.tsx";
import { EditUserDrawer, NewUserDrawer } from "./user-form.tsx";

type Open = { kind: "new" } | { kind: "edit" | "quota"; row: UserListRow } | null;

export default function UsersPage() {
  const { t } = useTranslation();
  const [query, setQuery] = useListParams(UserQuery);
  const [shown, show] = useShownUser();
  const [open, setOpen] = useState<Open>(null);
  const [selected, setSelected] = useState<string[]>([]);
  const edits = useMayChange();
  const columns = useUserColumns();
  const list = useQuery(usersQuery(query));
  const rows = list.data?.data;
  const rowsOf = useSeenRows(rows);
  const close = () => setOpen(null);
  const edit = (row: UserListRow) => setOpen({ kind: "edit", row });
  const quota = (row: UserListRow) => setOpen({ kind: "quota", row });

  // The last row of the last page was deleted.
  const beyondEnd = query.page > 1 && rows?.length === 0 && !list.isPlaceholderData;
  useEffect(() => {
    if (beyondEnd) setQuery({ page: 1 });
  }, [beyondEnd, setQuery]);

  return (
    <Page
      title={t("Users")}
      description={t("All accounts, their balances and permissions.")}
      actions={
        edits ? (
          <Button leftSection={<IconUserPlus size={16} />} onClick={() => setOpen({ kind: "new" })}>
            {t("New user")}
          </Button>
        ) : null
      }
    >
      <DataTable
        id="users"
        label={t("Users")}
        columns={columns}
        {...pagedList(list, query, setQuery)}
        rowKey={(row) => String(row.id)}
        {...(edits ? { selection: { keys: selected, onChange: setSelected } } : {})}
        bulkActions={(keys) => <BulkBar rows={rowsOf(keys)} onDone={() => setSelected([])} />}
        rowActions={(row) => (
          <UserActions
            row={row}
            onEdit={() => edit(row)}
            onQuota={() => quota(row)}
            onDeleted={() => {
              show(null);
              setSelected([]);
            }}
          />
        )}
        onOpen={(row) => show(row.id)}
        toolbar={<UserFilters query={query} onChange={setQuery} />}
        tools={
          <>
            <UserExport query={query} />
            <Tooltip label={t("Refresh")}>
              <ActionIcon
                size={34}
                aria-label={t("Refresh")}
                loading={list.isRefetching && !list.isPlaceholderData}
                onClick={() => void list.refetch()}
              >
                <IconRefresh size={18} stroke={1.7} />
              </ActionIcon>
            </Tooltip>
          </>
        }
        empty={
          <Empty
            icon={IconUsers}
            title={isFiltered(query) ? t("No users match these filters") : t("No users yet")}
            action={
              isFiltered(query) ? (
                <Button variant="default" onClick={() => setQuery(noFilters)}>
                  {t("Clear the filters")}
                </Button>
              ) : null
            }
          />
        }
      />
      {shown !== null && open === null ? (
        <UserDrawer id={shown} onClose={() => show(null)} onEdit={edit} onQuota={quota} />
      ) : null}
      {open?.kind === "new" ? <NewUserDrawer onClose={close} /> : null}
      {open?.kind === "edit" ? <EditUserDrawer user={open.row} onClose={close} /> : null}
      {open?.kind === "quota" ? <QuotaDialog user={open.row} onClose={close} /> : null}
    </Page>
  );
}

/** Whose details are open lives in the address bar, so that it can be linked to. */
function useShownUser(): [number | null, (id: number | null) => void] {
  const [search, setSearch] = useSearchParams();
  const id = Number(search.get("user"));
  const show = (next: number | null) =>
    setSearch((current) => {
      const params = new URLSearchParams(current);
      if (next === null) params.delete("user");
      else params.set("user", String(next));
      return params;
    });
  return [Number.isInteger(id) && id > 0 ? id : null, show];
}
