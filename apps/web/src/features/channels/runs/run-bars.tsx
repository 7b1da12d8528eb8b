/** Current and recently finished runs: progress, failures, and a stop button. */
import type { ChannelRun, ChannelRunDetail, ChannelRunItem } from "@gateway/shared/channels/channel-run";
import {
  ActionIcon,
  Box,
  Button,
  Group,
  Popover,
  Progress,
  ScrollArea,
  Stack,
  Text,
  UnstyledButton,
} from "@mantine/core";
import { IconX } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Reason } from "#features/channels/reason.tsx";
import { useMayChange } from "#lib/changes.ts";
import { phrasesIn } from "#lib/i18n.ts";
import { runsQuery, useCancelRun, useRunProgress } from "./runs.ts";
import classes from "./runs.module.css";

const phrase = phrasesIn("channels");

/** @param started runs started on this screen: they stay until dismissed, even when they end immediately */
export function RunBars({ started }: { started: number[] }) {
  const runs = useQuery(runsQuery).data ?? [];
  const [seen, setSeen] = useState<number[]>([]);
  const [dismissed, setDismissed] = useState<number[]>([]);
  // The drawer of model changes shows its own runs.
  const running = runs
    .filter((run) => run.status === "running" && run.kind !== "models")
    .map((run) => run.id);
  const fresh = [...new Set([...started, ...running])].filter((id) => !seen.includes(id));
  if (fresh.length > 0) setSeen([...seen, ...fresh]);
  const shown = seen.filter((id) => !dismissed.includes(id)).slice(-3);
  if (shown.length === 0) return null;
  return (
    <Stack gap="xs">
      {shown.map((id) => (
        <RunBar key={id} id={id} onDismiss={() => setDismissed((known) => [...known, id])} />
      ))}
    </Stack>
  );
}

/** One run: its progress, its failures, and a stop button while it runs. */
export function RunBar({ id, onDismiss }: { id: number; onDismiss: () => void }) {
  const { t } = useTranslation("channels");
  const progress = useRunProgress(id);
  const mayChange = useMayChange();
  const cancel = useCancelRun();
  if (progress === undefined) return null;
  const { run } = progress;
  const done = run.ok + run.failed + run.skipped;
  const running = run.status === "running";
  return (
    <div className={classes.bar} role="status" aria-label={titleOf(progress, t)}>
      <Text fw={500} fz="sm" className={classes.title}>
        {titleOf(progress, t)}
      </Text>
      <Progress
        value={run.total === 0 ? 0 : (done / run.total) * 100}
        size="sm"
        radius="xl"
        className={classes.progress}
        aria-label={titleOf(progress, t)}
      />
      <Text fz="sm" c="dimmed" className="tabular">
        {t("{{done}} of {{total}}", { done, total: run.total })}
      </Text>
      <Outcomes progress={progress} />
      {running && mayChange ? (
        <Button
          variant="subtle"
          color="gray"
          size="compact-sm"
          ml="auto"
          loading={cancel.isPending}
          onClick={() => cancel.mutate(id)}
        >
          {t("Stop")}
        </Button>
      ) : running ? null : (
        <ActionIcon ml="auto" aria-label={t("Close")} onClick={onDismiss}>
          <IconX size={16} />
        </ActionIcon>
      )}
    </div>
  );
}

function titleOf({ run }: ChannelRunDetail, t: (key: string) => string): string {
  return t(titles[run.kind][run.status]);
}

const titles: Record<ChannelRun["kind"], Record<ChannelRun["status"], string>> = {
  test: {
    running: phrase("Testing channels"),
    done: phrase("Channels tested"),
    cancelled: phrase("Testing was stopped"),
    interrupted: phrase("Testing was interrupted"),
  },
  balance: {
    running: phrase("Refreshing balances"),
    done: phrase("Balances refreshed"),
    cancelled: phrase("Refreshing was stopped"),
    interrupted: phrase("Refreshing was interrupted"),
  },
  models: {
    running: phrase("Checking model lists"),
    done: phrase("Model lists checked"),
    cancelled: phrase("The check was stopped"),
    interrupted: phrase("The check was interrupted"),
  },
};

function Outcomes({ progress: { run, items } }: { progress: ChannelRunDetail }) {
  const { t } = useTranslation("channels");
  return (
    <Group gap={12}>
      {run.ok > 0 ? (
        <Text fz="sm" c="green" fw={500}>
          {t("{{count}} succeeded", { count: run.ok })}
        </Text>
      ) : null}
      {run.failed > 0 ? (
        <ItemList
          word={t("{{count}} failed", { count: run.failed })}
          color="red"
          items={items.filter((item) => item.outcome === "failed")}
        />
      ) : null}
      {run.skipped > 0 ? (
        <ItemList
          word={
            run.kind === "models"
              ? t("{{count}} skipped", { count: run.skipped })
              : t("{{count}} not testable", { count: run.skipped })
          }
          color="dimmed"
          items={items.filter((item) => item.outcome === "skipped")}
        />
      ) : null}
    </Group>
  );
}

function ItemList({ word, color, items }: { word: string; color: string; items: ChannelRunItem[] }) {
  return (
    <Popover position="bottom-start" width={380} withinPortal>
      <Popover.Target>
        <UnstyledButton fz="sm" c={color} fw={500} className={classes.link}>
          {word}
        </UnstyledButton>
      </Popover.Target>
      <Popover.Dropdown p={0}>
        <ScrollArea.Autosize mah={320} type="auto" scrollbarSize={8}>
          <Stack gap={10} p="sm">
            {items.map((item) => (
              <Box key={item.position}>
                <Text fz="sm" fw={500}>
                  {item.channel_name}
                  {item.model ? (
                    <Text span fz="xs" c="dimmed" ff="monospace">
                      {" "}
                      {item.model}
                    </Text>
                  ) : null}
                </Text>
                <Text fz="xs" c="dimmed" className={classes.wrap}>
                  <Reason text={item.message} facts={item.message_facts} />
                </Text>
              </Box>
            ))}
          </Stack>
        </ScrollArea.Autosize>
      </Popover.Dropdown>
    </Popover>
  );
}
