/** Models that providers added or removed, for all channels. `?changes=all` opens it. */
import type { ModelChangePage } from "@gateway/shared/models/model-change";
import { Button, Group, Pagination, SegmentedControl, Skeleton, Stack, Text } from "@mantine/core";
import { IconListCheck, IconRefresh } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Reason } from "#features/channels/reason.tsx";
import { RunBar } from "#features/channels/runs/run-bars.tsx";
import { runsQuery, useStartRun } from "#features/channels/runs/runs.ts";
import { useMayChange } from "#lib/changes.ts";
import { Empty, QueryFallback } from "#ui/empty.tsx";
import { Fold } from "#ui/fold.tsx";
import { SideDrawer } from "#ui/page/side-drawer.tsx";
import { RelativeTime } from "#ui/relative-time.tsx";
import { modelChangesQuery } from "./api.ts";
import { ChannelChanges } from "./channel-changes.tsx";
import classes from "./changes.module.css";

const size = 20;

export function ChangesDrawer({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation("channels");
  return (
    <SideDrawer onClose={onClose} width={640} title={t("Model changes of providers")}>
      <Changes />
    </SideDrawer>
  );
}

function Changes() {
  const { t } = useTranslation("channels");
  const [view, setView] = useState<"open" | "ignored">("open");
  const [page, setPage] = useState(1);
  const changes = useQuery(modelChangesQuery({ page, size, ignored: view === "ignored" ? 1 : 0 }));
  if (!changes.data)
    return (
      <QueryFallback query={changes}>
        <Stack gap="md" aria-busy>
          {[0, 1, 2].map((line) => (
            <Skeleton key={line} height={110} radius={12} />
          ))}
        </Stack>
      </QueryFallback>
    );
  const { data, total_count, ignored_count } = changes.data;
  const pages = Math.max(1, Math.ceil(total_count / size));
  // The last change of the last page was applied.
  if (page > pages) setPage(pages);
  return (
    <Stack gap="md">
      <LastCheck seen={changes.data} />
      {ignored_count > 0 || view === "ignored" ? (
        <SegmentedControl
          aria-label={t("View")}
          value={view}
          onChange={(next) => {
            setView(next === "ignored" ? "ignored" : "open");
            setPage(1);
          }}
          data={[
            { value: "open", label: t("To review") },
            { value: "ignored", label: t("Ignored ({{count}})", { count: ignored_count }) },
          ]}
        />
      ) : null}
      {data.length === 0 ? <NoChanges seen={changes.data} ignored={view === "ignored"} /> : null}
      {data.map((channel) => (
        <ChannelChanges key={channel.channel_id} channel={channel} ignored={view === "ignored"} />
      ))}
      {pages > 1 ? (
        <Pagination
          total={pages}
          value={page}
          onChange={setPage}
          getControlProps={(control) => ({
            "aria-label": control === "previous" ? t("Previous page") : t("Next page"),
          })}
        />
      ) : null}
      <UncheckedChannels seen={changes.data} />
    </Stack>
  );
}

/** Time of the last check, and a button for the next one. While it runs: its progress. */
function LastCheck({ seen: { checked_time, checked_count } }: { seen: ModelChangePage }) {
  const { t } = useTranslation("channels");
  const mayChange = useMayChange();
  const start = useStartRun();
  const runs = useQuery(runsQuery).data ?? [];
  const [dismissed, setDismissed] = useState(0);
  const active = runs.find((run) => run.kind === "models" && run.status === "running");
  const own = start.data?.id ?? 0;
  const shown = active?.id ?? (own > dismissed ? own : 0);
  return (
    <>
      <Group justify="space-between" wrap="nowrap" align="flex-start">
        <Text fz="sm" c="dimmed">
          {checked_time === null ? (
            t("The models of your channels are compared with the lists of their providers.")
          ) : (
            <>
              {t("{{count}} channels were compared with the list of their provider.", {
                count: checked_count,
              })}
              {" · "}
              <RelativeTime seconds={checked_time} />
            </>
          )}
        </Text>
        {mayChange ? (
          <Button
            variant="default"
            style={{ flexShrink: 0 }}
            leftSection={<IconRefresh size={16} />}
            loading={start.isPending}
            disabled={active !== undefined}
            onClick={() => start.mutate({ kind: "models" })}
          >
            {t("Check now")}
          </Button>
        ) : null}
      </Group>
      {shown === 0 ? null : <RunBar key={shown} id={shown} onDismiss={() => setDismissed(shown)} />}
    </>
  );
}

function NoChanges({ seen: { checked_time }, ignored }: { seen: ModelChangePage; ignored: boolean }) {
  const { t } = useTranslation("channels");
  if (ignored) return <Empty compact title={t("No ignored changes")} />;
  return (
    <Empty
      compact
      icon={IconListCheck}
      title={checked_time === null ? t("Not checked yet") : t("No changes")}
      hint={t("Models that a provider adds or removes after the first check appear here.")}
    />
  );
}

/** The channels whose provider sent no list, with the reason. */
function UncheckedChannels({ seen: { unchecked, unchecked_count } }: { seen: ModelChangePage }) {
  const { t } = useTranslation("channels");
  if (unchecked_count === 0) return null;
  return (
    <Fold label={t("{{count}} channels without a list", { count: unchecked_count })}>
      <div>
        {unchecked.map((channel) => (
          <div key={channel.channel_id} className={classes.row}>
            <Text fz="sm" fw={500} flex="1 1 180px" style={{ overflowWrap: "anywhere" }}>
              {channel.channel_name}
            </Text>
            <Text
              fz="sm"
              c={channel.outcome === "failed" ? "red" : "dimmed"}
              flex="2 1 240px"
              style={{ overflowWrap: "anywhere" }}
            >
              <Reason text={channel.message} facts={channel.message_facts} />
            </Text>
          </div>
        ))}
      </div>
      {unchecked_count > unchecked.length ? (
        <Text c="dimmed" fz="sm">
          {t("and {{count}} more", { count: unchecked_count - unchecked.length })}
        </Text>
      ) : null}
    </Fold>
  );
}
