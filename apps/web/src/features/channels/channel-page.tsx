/** The list of channels: search, status, priority, tests and switches. The editor opens beside it. */
import type { ChannelRow } from "@gateway/shared/channels/channel";
import { Button, SegmentedControl } from "@mantine/core";
import { IconGauge, IconPlus } from "@tabler/icons-react";
import { type QueryClient, useQuery, useQueryClient } from "@tanstack/react-query";
import { type ReactNode, useCallback, useMemo, useState } from "react";
import { useTranslation } from "react-i18next";
import { DisabledModelsNote } from "#components/disabled-models/disabled-models-note.tsx";
import { NEW, useDrawerParam } from "#lib/address/drawer-param.ts";
import { useListParams } from "#lib/address/list-params.ts";
import { channelParams } from "#lib/address/list-queries.ts";
import { initialOf, oneOf } from "#lib/address/params.ts";
import { useMayChange } from "#lib/changes.ts";
import { lazyPart } from "#ui/lazy-part.tsx";
import { Page } from "#ui/page/page.tsx";
import { RefreshButton } from "#ui/refresh-button.tsx";
import { DataTable } from "#ui/table/data-table.tsx";
import { DroppedFilters } from "#ui/table/dropped-filters.tsx";
import { NoMatches } from "#ui/table/filters.tsx";
import { pagedList } from "#ui/table/paged-list.ts";
import { channelIdsQuery, channelListQuery } from "./api.ts";
import { ChannelBulkBar } from "./bulk/channel-bulk-bar.tsx";
import { ChannelActions } from "./list/channel-actions.tsx";
import { useChannelColumns } from "./list/channel-columns.tsx";
import { BulkDialogs, OneChannelDialogs, SELECTED, TAG } from "./list/channel-dialogs.tsx";
import { ChannelFilters, filterCount, noFilters } from "./list/channel-filters.tsx";
import { NoChannels } from "./list/no-channels.tsx";
import { PageMenu } from "./list/page-menu.tsx";
import { PulseIds } from "./list/pulse.tsx";
import { RunBars } from "./runs/run-bars.tsx";
import { useStartRun } from "./runs/runs.ts";

const ChannelEditor = lazyPart(
  () => import("./editor/channel-editor.tsx").then((module) => module.ChannelEditor),
  ({ target }) => target !== "",
);
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
  const { open: showTimeline } = useDrawerParam("timeline");
  const { open: rotate } = useDrawerParam("rotate");
  const bulk = useDrawerParam("bulk");
  const file = useDrawerParam("file");
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
                <NoMatches title={t("No channel matches")} onClear={() => setQuery(noFilters)} />
              ) : (
                <NoChannels onAdd={add} />
              )
            }
          />
        </PulseIds>
      )}
      <ChannelEditor target={edited.key} onClose={edited.close} />
      <OneChannelDialogs rows={rows} />
      <BulkDialogs selected={selected} onTest={() => run("test")} />
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
  views: ReactNode;
  onBalances: () => void;
  /** Undefined for someone who may not add one, or who sees this button elsewhere. */
  onAdd: (() => void) | undefined;
};

function PageActions({ views, onBalances, onAdd }: ChannelPageActionsProps) {
  const { t } = useTranslation("channels");
  const ask = useDrawerParam("ask");
  return (
    <>
      {views}
      <PageMenu onBalances={onBalances} />
      {onAdd === undefined ? null : (
        <>
          <Button
            variant="default"
            // On a phone it is only in the menu.
            visibleFrom="sm"
            leftSection={<IconGauge size={16} />}
            onClick={() => ask.open("test")}
          >
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
