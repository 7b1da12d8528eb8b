/** The list of channels: find, judge, rank, test, switch; the editor opens beside it. */
import { ChannelQuery } from "@gateway/shared/channels/channel";
import { ActionIcon, Button, SegmentedControl, Tooltip } from "@mantine/core";
import { IconPlus, IconRefresh } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useEffect, useMemo, useState } from "react";
import { useTranslation } from "react-i18next";
import { z } from "zod";
import { useMayChange } from "#lib/changes.ts";
import { useListParams } from "#lib/list-params.ts";
import { Page } from "#ui/page.tsx";
import { DataTable } from "#ui/table/data-table.tsx";
import { channelListQuery } from "./api.ts";
import { ChannelEditor } from "./editor/channel-editor.tsx";
import { useEditor } from "./editor/use-editor.ts";
import type { EditTarget } from "./list/batch-api.ts";
import { BulkBar } from "./list/bulk-bar.tsx";
import { BulkEditor } from "./list/bulk-editor.tsx";
import { ChannelActions } from "./list/channel-actions.tsx";
import { useChannelColumns } from "./list/channel-columns.tsx";
import { ChannelFilters, filterCount, noFilters } from "./list/channel-filters.tsx";
import { NoChannels, NoMatch } from "./list/no-channels.tsx";
import { PageMenu } from "./list/page-menu.tsx";
import { PulseIds } from "./list/pulse.tsx";
import { ExportDialog, ImportDialog } from "./list/transfer-dialogs.tsx";
import { RunBars } from "./runs/run-bars.tsx";
import { useStartRun } from "./runs/runs.ts";
import { TagList } from "./tags/tag-list.tsx";

const PageParams = ChannelQuery.omit({ key: true }).extend({
  view: z.enum(["channels", "tags"]).catch("channels").default("channels"),
});

type Dialog = { kind: "import" } | { kind: "export"; ids: number[] | undefined };

export default function ChannelPage() {
  const { t } = useTranslation();
  const mayChange = useMayChange();
  const [{ view, ...query }, setQuery] = useListParams(PageParams);
  const [target, openEditor] = useEditor();
  const [selected, setSelected] = useState<string[]>([]);
  const [refreshing, setRefreshing] = useState(false);
  const [started, setStarted] = useState<number[]>([]);
  const [editing, setEditing] = useState<EditTarget | null>(null);
  const [dialog, setDialog] = useState<Dialog | null>(null);
  const start = useStartRun();
  const columns = useChannelColumns();
  const list = useQuery(channelListQuery(query));
  const rows = list.data?.data;
  const shownIds = useMemo(() => (rows ?? []).map((row) => row.id), [rows]);

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
  const run = (kind: "test" | "balance", which: { ids?: number[]; tag?: string } = {}) =>
    start.mutate({ kind, ...which }, { onSuccess: ({ id }) => setStarted((ids) => [...ids, id]) });
  const forget = (ids: number[]) => setSelected((keys) => keys.filter((key) => !ids.includes(Number(key))));
  const isUntouched = rows?.length === 0 && query.page === 1 && filterCount(query) === 0;
  const add = () => openEditor({ kind: "new" });
  const views = (
    <SegmentedControl
      size="sm"
      aria-label={t("View")}
      value={view}
      onChange={(next) => setQuery({ view: next === "tags" ? "tags" : "channels" })}
      data={[
        { value: "channels", label: t("Channels") },
        { value: "tags", label: t("By tag") },
      ]}
    />
  );

  return (
    <Page
      title={t("Channels")}
      description={t(
        "Accounts at providers. A call goes to the highest priority that fits, among equals by weight.",
      )}
      actions={
        <>
          {isUntouched ? null : views}
          <PageMenu
            onTest={() => run("test")}
            onBalances={() => run("balance")}
            onImport={() => setDialog({ kind: "import" })}
            onExport={() => setDialog({ kind: "export", ids: undefined })}
          />
          {/* The empty list has this button in its middle. */}
          {isUntouched || !mayChange ? null : (
            <Button leftSection={<IconPlus size={16} />} onClick={add}>
              {t("Add a channel")}
            </Button>
          )}
        </>
      }
    >
      <RunBars started={started} />
      {view === "tags" ? (
        <TagList
          onTest={(tag) => run("test", { tag })}
          onEdit={(tag) => setEditing({ kind: "tag", tag })}
          onOpen={(id) => openEditor({ kind: "edit", id })}
        />
      ) : (
        <PulseIds value={shownIds}>
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
            bulkActions={(keys) => (
              <BulkBar
                ids={keys.map(Number)}
                onTest={(ids) => run("test", { ids })}
                onBalances={(ids) => run("balance", { ids })}
                onEdit={(ids) => setEditing({ kind: "ids", ids })}
                onExport={(ids) => setDialog({ kind: "export", ids })}
                onDeleted={forget}
              />
            )}
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
        </PulseIds>
      )}
      <ChannelEditor target={target} onClose={() => openEditor(null)} />
      {editing === null ? null : <BulkEditor target={editing} onClose={() => setEditing(null)} />}
      {dialog?.kind === "import" ? <ImportDialog onClose={() => setDialog(null)} /> : null}
      {dialog?.kind === "export" ? <ExportDialog ids={dialog.ids} onClose={() => setDialog(null)} /> : null}
    </Page>
  );
}
