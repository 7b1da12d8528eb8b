/** The list of channels: search, status, priority, tests and switches. The editor opens beside it. */
import type { ChannelRow } from "@gateway/shared/channels/channel";
import { Button, SegmentedControl } from "@mantine/core";
import { IconGauge, IconPlus } from "@tabler/icons-react";
import { type QueryClient, useQuery, useQueryClient } from "@tanstack/react-query";
import { type ReactNode, useCallback, useMemo, useState } from "react";
import { useTranslation } from "react-i18next";
import { DisabledModelsNote } from "#components/disabled-models/disabled-models-note.tsx";
import { NEW, type DrawerParam, useDrawerParam } from "#lib/address/drawer-param.ts";
import { useListParams } from "#lib/address/list-params.ts";
import { channelParams } from "#lib/address/list-queries.ts";
import { initialOf, oneOf } from "#lib/address/params.ts";
import { useMayChange } from "#lib/changes.ts";
import { lazyPart } from "#ui/lazy-part.tsx";
import { RowMissing } from "#ui/page/opened-row-states.tsx";
import { OpenedRow } from "#ui/page/opened-row.tsx";
import { Page } from "#ui/page/page.tsx";
import { RefreshButton } from "#ui/refresh-button.tsx";
import { DataTable } from "#ui/table/data-table.tsx";
import { DroppedFilters } from "#ui/table/dropped-filters.tsx";
import { pagedList } from "#ui/table/paged-list.ts";
import { channelIdsQuery, channelListQuery, fetchChannel } from "./api.ts";
import { ChannelBulkBar } from "./bulk/channel-bulk-bar.tsx";
import { ANY_MODEL } from "./list/any-model.ts";
import { ChannelActions } from "./list/channel-actions.tsx";
import { useChannelColumns } from "./list/channel-columns.tsx";
import { ChannelFilters, filterCount, noFilters } from "./list/channel-filters.tsx";
import { NoChannels, NoMatchingChannels } from "./list/no-channels.tsx";
import { PageMenu } from "./list/page-menu.tsx";
import { PulseIds } from "./list/pulse.tsx";
import { RunBars } from "./runs/run-bars.tsx";
import { useStartRun } from "./runs/runs.ts";

const ChannelEditor = lazyPart(
  () => import("./editor/channel-editor.tsx").then((module) => module.ChannelEditor),
  ({ target }) => target !== "",
);
const ChangesDrawer = lazyPart(() =>
  import("./model-changes/changes-drawer.tsx").then((module) => module.ChangesDrawer),
);
const BulkEditor = lazyPart(() => import("./bulk/bulk-editor.tsx").then((module) => module.BulkEditor));
const DisableModelDialog = lazyPart(() =>
  import("#components/disabled-models/disable-model-dialog.tsx").then((module) => module.DisableModelDialog),
);
const RemoveModel = lazyPart(() => import("./list/remove-model.tsx").then((module) => module.RemoveModel));
const TestAllDialog = lazyPart(() => import("./list/test-all.tsx").then((module) => module.TestAllDialog));
const TimelineDrawer = lazyPart(() =>
  import("./list/timeline-drawer.tsx").then((module) => module.TimelineDrawer),
);
const ExportChannelsDialog = lazyPart(() =>
  import("./list/transfer-dialogs.tsx").then((module) => module.ExportChannelsDialog),
);
const ImportChannelsDialog = lazyPart(() =>
  import("./list/transfer-dialogs.tsx").then((module) => module.ImportChannelsDialog),
);
const RotateDialog = lazyPart(() => import("./keys/rotate-dialog.tsx").then((module) => module.RotateDialog));
const TagList = lazyPart(() => import("./tags/tag-list.tsx").then((module) => module.TagList));

const pageParams = { ...channelParams, view: oneOf(["channels", "tags"]) };

/** Prefetches the first page of the list. */
export function prefetch(client: QueryClient): Promise<void> {
  const { view: _, ...query } = initialOf(pageParams);
  return client.prefetchQuery(channelListQuery(query));
}

export default function ChannelPage() {
  const { t } = useTranslation("channels");
  const mayChange = useMayChange();
  const [{ view, ...query }, setQuery] = useListParams(pageParams);
  const edited = useDrawerParam();
  const timeline = useDrawerParam("timeline");
  const rotating = useDrawerParam("rotate");
  const bulk = useDrawerParam("bulk");
  const file = useDrawerParam("file");
  const ask = useDrawerParam("ask");
  const removal = useDrawerParam("remove");
  const disabling = useDrawerParam("disable");
  const changes = useDrawerParam("changes");
  const [selected, setSelected] = useState<string[]>([]);
  const [started, setStarted] = useState<number[]>([]);
  const start = useStartRun();
  const client = useQueryClient();
  const loadAll = async () => (await client.fetchQuery(channelIdsQuery(query))).map(String);
  const columns = useChannelColumns();
  const list = useQuery(channelListQuery(query));
  const rows = list.data?.data;
  const shownIds = useMemo(() => (rows ?? []).map((row) => row.id), [rows]);

  const run = (kind: "test" | "balance", which: { ids?: number[]; tag?: string } = {}) =>
    start.mutate({ kind, ...which }, { onSuccess: ({ id }) => setStarted((ids) => [...ids, id]) });
  const forget = useCallback(
    (ids: number[]) => setSelected((keys) => keys.filter((key) => !ids.includes(Number(key)))),
    [],
  );
  // Stable, so that a tick or an opened form renders only the rows that change.
  const { open: edit } = edited;
  const { open: showTimeline } = timeline;
  const { open: rotate } = rotating;
  const rowActions = useCallback(
    (row: ChannelRow) => (
      <ChannelActions
        row={row}
        onEdit={edit}
        onTimeline={showTimeline}
        onRotate={rotate}
        onDeleted={(id) => forget([id])}
      />
    ),
    [edit, showTimeline, rotate, forget],
  );
  const isUntouched = rows?.length === 0 && query.page === 1 && filterCount(query) === 0;
  const add = () => edited.open(NEW);

  return (
    <Page
      title={t("Channels")}
      description={t(
        "Each channel is an account at a provider. A call uses the matching channel with the highest priority. Channels with equal priority share the calls by weight.",
      )}
      actions={
        <PageActions
          opened={{ ask, removal, disabling, changes, file }}
          views={
            isUntouched ? null : <ViewChoice view={view} onChange={(next) => setQuery({ view: next })} />
          }
          onBalances={() => run("balance")}
          // The empty list has this button in its middle.
          onAdd={isUntouched || !mayChange ? undefined : add}
        />
      }
    >
      <DroppedFilters params={pageParams} />
      <RunBars started={started} />
      <DisabledModelsNote />
      {view === "tags" ? (
        <TagList
          onTest={(tag) => run("test", { tag })}
          onEdit={(tag) => bulk.open(`${TAG}${tag}`)}
          onOpen={edited.open}
        />
      ) : (
        <PulseIds value={shownIds}>
          <DataTable
            id="channels"
            views="channels"
            label={t("Channels")}
            columns={columns}
            {...pagedList(list, query, setQuery)}
            rowKey={(row) => String(row.id)}
            selection={{
              keys: selected,
              onChange: setSelected,
              all: { total: list.data?.total_count, load: loadAll },
            }}
            bulkActions={(keys) => (
              <ChannelBulkBar
                ids={keys.map(Number)}
                onTest={(ids) => run("test", { ids })}
                onBalances={(ids) => run("balance", { ids })}
                onEdit={() => bulk.open(SELECTED)}
                onExport={() => file.open("export-selected")}
                onDeleted={forget}
              />
            )}
            rowActions={rowActions}
            onOpen={(row) => edited.open(row.id)}
            toolbar={<ChannelFilters query={query} onChange={setQuery} />}
            tools={<RefreshButton onRefresh={list.refetch} />}
            empty={
              filterCount(query) > 0 ? (
                <NoMatchingChannels onClear={() => setQuery(noFilters)} />
              ) : (
                <NoChannels onAdd={add} />
              )
            }
          />
        </PulseIds>
      )}
      <ChannelEditor target={edited.key} onClose={edited.close} />
      <OneChannelDialogs opened={{ timeline, rotating }} rows={rows} />
      <BulkDialogs
        opened={{ ask, removal, disabling, changes, bulk, file }}
        selected={selected}
        onTest={() => run("test")}
      />
    </Page>
  );
}

type ChannelListView = "channels" | "tags";

function ViewChoice({
  view,
  onChange,
}: {
  view: ChannelListView;
  onChange: (view: ChannelListView) => void;
}) {
  const { t } = useTranslation("channels");
  return (
    <SegmentedControl
      size="sm"
      aria-label={t("View")}
      value={view}
      onChange={onChange}
      data={[
        { value: "channels", label: t("Channels") },
        { value: "tags", label: t("By tag") },
      ]}
    />
  );
}

type ChannelPageActionsProps = {
  opened: Record<"ask" | "removal" | "disabling" | "changes" | "file", DrawerParam>;
  views: ReactNode;
  onBalances: () => void;
  /** Undefined for someone who may not add one, or who sees this button elsewhere. */
  onAdd: (() => void) | undefined;
};

function PageActions({ opened, views, onBalances, onAdd }: ChannelPageActionsProps) {
  const { t } = useTranslation("channels");
  const { ask, removal, disabling, changes, file } = opened;
  return (
    <>
      {views}
      <PageMenu
        onTest={() => ask.open("test")}
        onDisableModel={() => disabling.open(ANY_MODEL)}
        onRemoveModel={() => removal.open(ANY_MODEL)}
        onBalances={onBalances}
        onChanges={() => changes.open("all")}
        onImport={() => file.open("import")}
        onExport={() => file.open("export")}
      />
      {onAdd === undefined ? null : (
        <>
          <Button variant="default" leftSection={<IconGauge size={16} />} onClick={() => ask.open("test")}>
            {t("Test all")}
          </Button>
          <Button leftSection={<IconPlus size={16} />} onClick={onAdd}>
            {t("Add channel")}
          </Button>
        </>
      )}
    </>
  );
}

type OneChannelDialogsProps = {
  opened: Record<"timeline" | "rotating", DrawerParam>;
  rows: ChannelRow[] | undefined;
};

function OneChannelDialogs({ opened, rows }: OneChannelDialogsProps) {
  const { timeline, rotating } = opened;
  const mayChange = useMayChange();
  return (
    <>
      <OpenedRow
        opened={timeline}
        rows={rows}
        keyOf={(row) => String(row.id)}
        load={(id) => fetchChannel(id)}
      >
        {(row) => <TimelineDrawer id={row.id} name={row.name} onClose={timeline.close} />}
      </OpenedRow>
      {mayChange ? (
        <OpenedRow
          opened={rotating}
          rows={rows}
          keyOf={(row) => String(row.id)}
          load={(id) => fetchChannel(id)}
        >
          {(row) => <RotateDialog key={row.id} row={row} onClose={rotating.close} />}
        </OpenedRow>
      ) : null}
    </>
  );
}

type BulkDialogsProps = {
  opened: Record<"ask" | "removal" | "disabling" | "changes" | "bulk" | "file", DrawerParam>;
  selected: string[];
  onTest: () => void;
};

/** The dialogs about all or several channels. Each has a parameter of its own in the address. */
function BulkDialogs({ opened, selected, onTest }: BulkDialogsProps) {
  const { ask, removal, disabling, changes, bulk, file } = opened;
  const mayChange = useMayChange();
  return (
    <>
      {ask.key === "test" && mayChange ? <TestAllDialog onTest={onTest} onClose={ask.close} /> : null}
      {removal.key !== "" && mayChange ? <RemoveModel model={removal.key} onClose={removal.close} /> : null}
      {disabling.key !== "" && mayChange ? (
        <DisableModelDialog model={disabling.key} onClose={disabling.close} />
      ) : null}
      {changes.key === "" ? null : <ChangesDrawer onClose={changes.close} />}
      <OpenedBulkEditor opened={bulk} selected={selected} />
      {file.key === "import" && mayChange ? <ImportChannelsDialog onClose={file.close} /> : null}
      {file.key.startsWith("export") ? (
        <ExportChannelsDialog
          ids={file.key === "export-selected" && selected.length > 0 ? selected.map(Number) : undefined}
          onClose={file.close}
        />
      ) : null}
    </>
  );
}

/** Address key of the bulk editor. */
const SELECTED = "selected";
const TAG = "tag:";

/** The bulk editor for a tag, which a link can name, or for the selected channels, which it cannot. */
function OpenedBulkEditor({ opened, selected }: { opened: DrawerParam; selected: string[] }) {
  const { key, close } = opened;
  if (key.startsWith(TAG))
    return <BulkEditor target={{ kind: "tag", tag: key.slice(TAG.length) }} onClose={close} />;
  if (key === SELECTED && selected.length > 0)
    return <BulkEditor target={{ kind: "ids", ids: selected.map(Number) }} onClose={close} />;
  return key === "" ? null : <RowMissing onClose={close} />;
}
