/** The list of channels: find, judge, rank, test, switch; the editor opens beside it. */
import { ChannelQuery } from "@gateway/shared/channel";
import { ActionIcon, Button, Tooltip } from "@mantine/core";
import { IconPlus, IconRefresh } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { useTranslation } from "react-i18next";
import { useListParams } from "#lib/list-params.ts";
import { DataTable } from "#ui/data-table.tsx";
import { Page } from "#ui/page.tsx";
import { channelListQuery } from "./api.ts";
import { BulkBar } from "./bulk-bar.tsx";
import { ChannelActions } from "./channel-actions.tsx";
import { useChannelColumns } from "./channel-columns.tsx";
import { ChannelEditor } from "./channel-editor.tsx";
import { ChannelFilters, filterCount, noFilters } from "./channel-filters.tsx";
import { NoChannels, NoMatch } from "./no-channels.tsx";
import { useEditor } from "./use-editor.ts";

export default function ChannelPage() {
  const { t } = useTranslation();
  const [query, setQuery] = useListParams(ChannelQuery);
  const [target, openEditor] = useEditor();
  const [selected, setSelected] = useState<string[]>([]);
  const [refreshing, setRefreshing] = useState(false);
  const columns = useChannelColumns();
  const list = useQuery(channelListQuery(query));
  const rows = list.data?.data;

  // The last row of the last page was deleted.
  const beyondEnd = query.page > 1 && rows?.length === 0 && !list.isPlaceholderData;
  useEffect(() => {
    if (beyondEnd) setQuery({ page: 1 });
  }, [beyondEnd, setQuery]);

  const refresh = async () => {
    setRefreshing(true);
    await list.refetch();
    setRefreshing(false);
  };
  const forget = (ids: number[]) => setSelected((keys) => keys.filter((key) => !ids.includes(Number(key))));
  const isUntouched = rows?.length === 0 && query.page === 1 && filterCount(query) === 0;
  const add = () => openEditor({ kind: "new" });

  return (
    <Page
      title={t("Channels")}
      description={t(
        "Accounts at vendors. A call goes to the highest priority that fits, among equals by weight.",
      )}
      actions={
        // The empty list has this button in its middle.
        isUntouched ? null : (
          <Button leftSection={<IconPlus size={16} />} onClick={add}>
            {t("Add a channel")}
          </Button>
        )
      }
    >
      <DataTable
        id="channels"
        label={t("Channels")}
        columns={columns}
        rows={rows}
        rowKey={(row) => String(row.id)}
        fetching={list.isPlaceholderData}
        error={list.error}
        onRetry={() => void refresh()}
        paging={{
          kind: "pages",
          page: query.page,
          size: query.size,
          total: list.data?.total_count,
          onChange: setQuery,
        }}
        order={query.order}
        onOrder={(order) => setQuery({ order })}
        selection={{ keys: selected, onChange: setSelected }}
        bulkActions={(keys) => <BulkBar ids={keys.map(Number)} rows={rows ?? []} onDeleted={forget} />}
        rowActions={(row) => (
          <ChannelActions row={row} onEdit={openEditor} onDeleted={(id) => forget([id])} />
        )}
        onOpen={(row) => openEditor({ kind: "edit", id: row.id })}
        toolbar={<ChannelFilters query={query} onChange={setQuery} />}
        tools={
          <Tooltip label={t("Refresh")}>
            <ActionIcon
              size={34}
              aria-label={t("Refresh")}
              loading={refreshing}
              onClick={() => void refresh()}
            >
              <IconRefresh size={18} stroke={1.7} />
            </ActionIcon>
          </Tooltip>
        }
        empty={
          filterCount(query) > 0 ? (
            <NoMatch onClear={() => setQuery(noFilters)} />
          ) : (
            <NoChannels onAdd={add} />
          )
        }
      />
      <ChannelEditor target={target} onClose={() => openEditor(null)} />
    </Page>
  );
}
