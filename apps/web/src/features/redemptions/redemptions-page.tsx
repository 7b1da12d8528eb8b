/** Redemption codes. Each credits the first user who redeems it. */
import type { RedemptionRow } from "@gateway/shared/billing/redemption";
import { RedemptionStatus } from "@gateway/shared/billing/redemption-status";
import { Button } from "@mantine/core";
import { IconDownload, IconPlus, IconTicket } from "@tabler/icons-react";
import { type QueryClient, useQuery } from "@tanstack/react-query";
import { useMemo, useState } from "react";
import { useTranslation } from "react-i18next";
import { NEW, useDrawerParam } from "#lib/address/drawer-param.ts";
import { useListParams } from "#lib/address/list-params.ts";
import { redemptionParams } from "#lib/address/list-queries.ts";
import { initialOf } from "#lib/address/params.ts";
import { useMayChange } from "#lib/changes.ts";
import { confirmDeletion } from "#ui/confirm.tsx";
import { copyText } from "#ui/copy.tsx";
import { Empty } from "#ui/empty.tsx";
import { lazyPart } from "#ui/lazy-part.tsx";
import { OpenedRow } from "#ui/page/opened-row.tsx";
import { Page } from "#ui/page/page.tsx";
import { DataTable } from "#ui/table/data-table.tsx";
import { DroppedFilters } from "#ui/table/dropped-filters.tsx";
import { FilterSheet } from "#ui/table/filter-sheet.tsx";
import { FilterSelect, NoMatches, SearchBox } from "#ui/table/filters.tsx";
import { pagedList } from "#ui/table/paged-list.ts";
import { EditButtons } from "#ui/table/row-buttons.tsx";
import { useSeenRows } from "#ui/table/seen-rows.ts";
import { toast } from "#ui/toast.tsx";
import { codesQuery, fetchCode, fetchCodes, useDeleteCodes } from "./api.ts";
import { codeColumns } from "./code-columns.tsx";
import { downloadCodes } from "./codes-file.ts";

const CodeDrawer = lazyPart(() => import("./code-drawer.tsx").then((module) => module.CodeDrawer));
const CreatedCodesDialog = lazyPart(() =>
  import("./created-codes-dialog.tsx").then((module) => module.CreatedCodesDialog),
);

export function prefetch(client: QueryClient): Promise<void> {
  return client.prefetchQuery(codesQuery(initialOf(redemptionParams)));
}

export default function RedemptionsPage() {
  const { t } = useTranslation("redemptions");
  const mayChange = useMayChange();
  const [params, setParams] = useListParams(redemptionParams);
  const codes = useQuery(codesQuery(params));
  const remove = useDeleteCodes();
  const edited = useDrawerParam();
  const [created, setCreated] = useState<{ codes: string[]; name: string } | null>(null);
  const [selected, setSelected] = useState<string[]>([]);
  const columns = useMemo(() => codeColumns(t), [t]);
  const rowsOf = useSeenRows(codes.data?.data);
  const filtered = params.keyword !== "" || params.status !== 0;
  const keysOf = (ids: string[]) => rowsOf.of(ids).map((row) => row.key);
  const edit = (row: RedemptionRow) => {
    if (row.status === RedemptionStatus.used) toast.info(t("A redeemed code cannot be changed"));
    else edited.open(row.id);
  };

  const drawer = {
    onClose: edited.close,
    onCreated: (made: string[], name: string) => setCreated({ codes: made, name }),
  };

  const destroy = async (ids: number[]) => {
    const question = {
      title: t("Delete {{count}} codes?", { count: ids.length }),
      body: t("These codes can no longer be redeemed. Amounts that were already credited are kept."),
    };
    if (!(await confirmDeletion(question, () => remove.mutateAsync(ids)))) return;
    setSelected((keys) => keys.filter((key) => !ids.includes(Number(key))));
  };

  const newCodes = mayChange ? (
    <Button leftSection={<IconPlus size={16} />} onClick={() => edited.open(NEW)}>
      {t("New codes")}
    </Button>
  ) : null;

  return (
    <Page
      title={t("Redemption codes")}
      description={t("Vouchers that users redeem on the top-up screen. Each code works once.")}
      actions={newCodes}
    >
      <DroppedFilters params={redemptionParams} />
      <DataTable
        id="redemptions"
        views="redemptions"
        label={t("Redemption codes")}
        columns={columns}
        {...pagedList(codes, params, setParams)}
        rowKey={(row) => String(row.id)}
        onOpen={edit}
        selection={{
          keys: selected,
          onChange: setSelected,
          all: {
            total: codes.data?.total_count,
            load: () => rowsOf.all((page) => fetchCodes({ ...params, ...page })),
          },
        }}
        bulkActions={(ids) => (
          <>
            <Button
              variant="default"
              onClick={() => void copyText(keysOf(ids).join("\n"), t("Redemption codes"))}
            >
              {t("Copy")}
            </Button>
            <Button
              variant="default"
              leftSection={<IconDownload size={16} />}
              onClick={() => downloadCodes(keysOf(ids), "redemption-codes")}
            >
              {t("Download")}
            </Button>
            {mayChange ? (
              <Button variant="default" c="red" onClick={() => void destroy(ids.map(Number))}>
                {t("Delete")}
              </Button>
            ) : null}
          </>
        )}
        rowActions={(row) => (
          <EditButtons
            {...(row.status === RedemptionStatus.used ? {} : { onEdit: () => edited.open(row.id) })}
            onDelete={() => void destroy([row.id])}
          />
        )}
        toolbar={
          <>
            <SearchBox
              value={params.keyword}
              onChange={(keyword) => setParams({ keyword })}
              placeholder={t("Name or ID")}
            />
            <FilterSheet active={params.status === 0 ? 0 : 1}>
              <FilterSelect
                label={t("Status")}
                value={params.status === 0 ? "" : String(params.status)}
                onChange={(status) => setParams({ status: Number(status) })}
                data={[
                  { value: "1", label: t("Not redeemed") },
                  { value: "2", label: t("Disabled") },
                  { value: "3", label: t("Redeemed") },
                ]}
              />
            </FilterSheet>
          </>
        }
        empty={
          filtered ? (
            <NoMatches title={t("No code matches")} onClear={() => setParams({ keyword: "", status: 0 })} />
          ) : (
            <Empty
              icon={IconTicket}
              title={t("No redemption codes yet")}
              hint={mayChange ? t("Create codes, hand them out, and see here who redeemed them.") : undefined}
              action={newCodes}
            />
          )
        }
      />
      <OpenedRow
        opened={edited}
        rows={codes.data?.data}
        keyOf={(row) => String(row.id)}
        load={fetchCode}
        create={mayChange ? <CodeDrawer code={undefined} {...drawer} /> : undefined}
      >
        {(row) => <CodeDrawer key={row.id} code={row} {...drawer} />}
      </OpenedRow>
      {created ? <CreatedCodesDialog {...created} onClose={() => setCreated(null)} /> : null}
    </Page>
  );
}
