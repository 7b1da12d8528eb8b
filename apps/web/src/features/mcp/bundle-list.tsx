import type { McpBundleRow } from "@gateway/shared/channels/mcp";
import { useQuery } from "@tanstack/react-query";
import type { TFunction } from "i18next";
import { useMemo } from "react";
import { useTranslation } from "react-i18next";
import { useDrawerParam } from "#lib/address/drawer-param.ts";
import { useMayChange } from "#lib/changes.ts";
import { useServerAddress } from "#lib/site.ts";
import { confirmDeletion } from "#ui/confirm.tsx";
import { CopyCode } from "#ui/copy.tsx";
import { Empty } from "#ui/empty.tsx";
import { lazyPart } from "#ui/lazy-part.tsx";
import { OpenedRow } from "#ui/page/opened-row.tsx";
import { RefreshButton } from "#ui/refresh-button.tsx";
import { Short } from "#ui/short.tsx";
import { StatusDot } from "#ui/status-dot.tsx";
import { DataTable } from "#ui/table/data-table.tsx";
import { NoMatches, SearchBox } from "#ui/table/filters.tsx";
import { EditButtons } from "#ui/table/row-buttons.tsx";
import type { Column } from "#ui/table/table-model.ts";
import { bundlesQuery, serversQuery, useDeleteBundle } from "./api.ts";
import { containsKeyword, type ListSearch } from "./search.ts";

const BundleDrawer = lazyPart(() => import("./bundle-drawer.tsx").then((module) => module.BundleDrawer));

export function BundleList({ search }: { search: ListSearch }) {
  const { t } = useTranslation("mcp");
  const edited = useDrawerParam();
  const mayChange = useMayChange();
  const bundles = useQuery(bundlesQuery);
  const servers = useQuery(serversQuery).data;
  const address = useServerAddress();
  const remove = useDeleteBundle();
  const names = useMemo(() => new Map(servers?.map(({ id, name }) => [id, name])), [servers]);
  const columns = useMemo(() => bundleColumns(t, address, names), [t, address, names]);
  const rows = bundles.data?.filter((bundle) =>
    containsKeyword(search.keyword, [bundle.name, ...bundle.servers.map((id) => names.get(id) ?? "")]),
  );
  const destroy = ({ id, name }: McpBundleRow) =>
    confirmDeletion({ title: t("Delete {{name}}?", { name }), body: t("Its address stops working.") }, () =>
      remove.mutateAsync(id),
    );
  return (
    <>
      <DataTable
        id="mcp-bundles"
        label={t("Bundles")}
        columns={columns}
        rows={rows}
        rowKey={(bundle) => String(bundle.id)}
        error={bundles.error}
        onRetry={() => void bundles.refetch()}
        onOpen={(bundle) => edited.open(bundle.id)}
        rowActions={(bundle) => (
          <EditButtons onEdit={() => edited.open(bundle.id)} onDelete={() => void destroy(bundle)} />
        )}
        paging={{ kind: "none" }}
        toolbar={
          <SearchBox value={search.keyword} onChange={search.onChange} placeholder={t("Name or server")} />
        }
        tools={<RefreshButton onRefresh={bundles.refetch} />}
        empty={
          bundles.data?.length === 0 ? (
            <Empty
              title={t("No bundles yet")}
              hint={t("Add servers first, then a bundle. Clients connect to the address of the bundle.")}
            />
          ) : (
            <NoMatches title={t("No bundle matches")} onClear={() => search.onChange("")} />
          )
        }
      />
      <OpenedRow
        opened={edited}
        rows={bundles.data}
        keyOf={(bundle) => String(bundle.id)}
        create={
          mayChange && bundles.data ? <BundleDrawer bundle={undefined} onClose={edited.close} /> : undefined
        }
      >
        {(bundle) => <BundleDrawer key={bundle.id} bundle={bundle} onClose={edited.close} />}
      </OpenedRow>
    </>
  );
}

function bundleColumns(
  t: TFunction<"mcp">,
  address: string,
  names: ReadonlyMap<number, string>,
): Column<McpBundleRow>[] {
  return [
    {
      id: "name",
      title: t("Name"),
      fixed: true,
      width: 180,
      cell: (bundle) => <Short strong text={bundle.name} width={240} />,
    },
    {
      id: "address",
      title: t("Address"),
      cell: (bundle) => <CopyCode text={`${address}/mcp/${bundle.name}`} label={t("Address")} />,
    },
    {
      id: "servers",
      title: t("Servers"),
      card: "fact",
      cell: (bundle) => (
        <Short text={bundle.servers.map((id) => names.get(id) ?? "…").join(", ") || "–"} width={260} />
      ),
    },
    {
      id: "groups",
      title: t("Groups"),
      card: "fact",
      cell: (bundle) => (bundle.groups.length === 0 ? t("All groups") : bundle.groups.join(", ")),
    },
    {
      id: "status",
      title: t("Status"),
      card: "fact",
      cell: (bundle) => (
        <StatusDot tone={bundle.enabled ? "good" : "idle"}>
          {bundle.enabled ? t("Enabled") : t("Disabled")}
        </StatusDot>
      ),
    },
  ];
}
