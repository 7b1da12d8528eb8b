import type { McpServerRow } from "@gateway/shared/channels/mcp";
import { Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import type { TFunction } from "i18next";
import { useMemo } from "react";
import { useTranslation } from "react-i18next";
import { useDrawerParam } from "#lib/address/drawer-param.ts";
import { useMayChange } from "#lib/changes.ts";
import { confirmDeletion } from "#ui/confirm.tsx";
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
import { serversQuery, useDeleteServer } from "./api.ts";
import { containsKeyword, type ListSearch } from "./search.ts";

const ServerDrawer = lazyPart(() => import("./server-drawer.tsx").then((module) => module.ServerDrawer));

export function ServerList({ search }: { search: ListSearch }) {
  const { t } = useTranslation("mcp");
  const edited = useDrawerParam();
  const mayChange = useMayChange();
  const servers = useQuery(serversQuery);
  const remove = useDeleteServer();
  const columns = useMemo(() => serverColumns(t), [t]);
  const rows = servers.data?.filter(({ name, url }) => containsKeyword(search.keyword, [name, url]));
  const destroy = ({ id, name }: McpServerRow) =>
    confirmDeletion(
      { title: t("Delete {{name}}?", { name }), body: t("Its tools disappear from all bundles.") },
      () => remove.mutateAsync(id),
    );
  return (
    <>
      <DataTable
        id="mcp-servers"
        label={t("Servers")}
        columns={columns}
        rows={rows}
        rowKey={(server) => String(server.id)}
        error={servers.error}
        onRetry={() => void servers.refetch()}
        onOpen={(server) => edited.open(server.id)}
        rowActions={(server) => (
          <EditButtons onEdit={() => edited.open(server.id)} onDelete={() => void destroy(server)} />
        )}
        paging={{ kind: "none" }}
        toolbar={
          <SearchBox value={search.keyword} onChange={search.onChange} placeholder={t("Name or address")} />
        }
        tools={<RefreshButton onRefresh={servers.refetch} />}
        empty={
          servers.data?.length === 0 ? (
            <Empty
              title={t("No servers yet")}
              hint={t("Add a remote MCP server, then put it into a bundle.")}
            />
          ) : (
            <NoMatches title={t("No server matches")} onClear={() => search.onChange("")} />
          )
        }
      />
      <OpenedRow
        opened={edited}
        rows={servers.data}
        keyOf={(server) => String(server.id)}
        create={
          mayChange && servers.data ? <ServerDrawer server={undefined} onClose={edited.close} /> : undefined
        }
      >
        {(server) => <ServerDrawer key={server.id} server={server} onClose={edited.close} />}
      </OpenedRow>
    </>
  );
}

function serverColumns(t: TFunction<"mcp">): Column<McpServerRow>[] {
  return [
    {
      id: "name",
      title: t("Name"),
      fixed: true,
      width: 200,
      cell: (server) => <Short strong text={server.name} width={260} />,
    },
    {
      id: "url",
      title: t("Address"),
      cell: (server) => (
        <Text ff="monospace" fz="xs" c="dimmed" truncate maw={360}>
          {server.url}
        </Text>
      ),
    },
    {
      id: "credential",
      title: t("Credential"),
      card: "fact",
      cell: (server) => (server.has_credential ? t("Stored") : t("None")),
    },
    {
      id: "price",
      title: t("Price per call"),
      align: "right",
      card: "fact",
      cell: (server) => (server.price === 0 ? t("Free") : `$${server.price}`),
    },
    {
      id: "status",
      title: t("Status"),
      card: "fact",
      cell: (server) => (
        <StatusDot tone={server.enabled ? "good" : "idle"}>
          {server.enabled ? t("Enabled") : t("Disabled")}
        </StatusDot>
      ),
    },
  ];
}
