/** What can be done with the chosen channels, and how far it is. */
import { type ChannelRow, ChannelStatus } from "@gateway/shared/channel";
import { Box, Button, Group, Popover, Progress, Stack, Text, UnstyledButton } from "@mantine/core";
import { IconGauge, IconPlayerPause, IconPower, IconTrash } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import { confirm } from "#ui/confirm.tsx";
import { toast } from "#ui/toast.tsx";
import { deleteChannel, patchChannel } from "./api.ts";
import { type Batch, type BatchFault, useBatch } from "./batch.ts";
import { useRunTest } from "./channel-tests.ts";
import classes from "./channels.module.css";

type BulkBarProps = {
  ids: number[];
  rows: readonly ChannelRow[];
  /** Called with those that are gone. */
  onDeleted: (ids: number[]) => void;
};

export function BulkBar({ ids, rows, onDeleted }: BulkBarProps) {
  const { t } = useTranslation();
  const runTest = useRunTest();
  const { batch, run, stop, dismiss } = useBatch();
  const nameOf = (id: number) => rows.find((row) => row.id === id)?.name ?? `#${id}`;

  const test = () =>
    run(t("Testing"), ids, async (id) => {
      const result = await runTest(id);
      return result.ok ? null : result.message;
    });
  const setStatus = (status: 1 | 2) =>
    run(status === ChannelStatus.enabled ? t("Enabling") : t("Disabling"), ids, async (id) => {
      await patchChannel(id, { status });
      return null;
    });
  const remove = async () => {
    const sure = await confirm({
      title: t("Delete {{count}} channels?", { count: ids.length }),
      body: t("Their keys are destroyed. What they served stays in the log."),
      action: t("Delete"),
    });
    if (!sure) return;
    const gone: number[] = [];
    const faults = await run(t("Deleting"), ids, async (id) => {
      await deleteChannel(id);
      gone.push(id);
      return null;
    });
    const [first] = faults;
    if (first) toast.error(t("Batch deletion failed with {{message}}", { message: first.message }));
    else toast.success(t("{{count}} channels deleted", { count: gone.length }));
    onDeleted(gone);
  };

  if (batch?.running) return <BatchProgress batch={batch} onStop={stop} />;
  return (
    <>
      <Button variant="default" leftSection={<IconGauge size={15} />} onClick={() => void test()}>
        {t("Test")}
      </Button>
      <Button
        variant="default"
        leftSection={<IconPower size={15} />}
        onClick={() => void setStatus(ChannelStatus.enabled)}
      >
        {t("Enable")}
      </Button>
      <Button
        variant="default"
        leftSection={<IconPlayerPause size={15} />}
        onClick={() => void setStatus(ChannelStatus.disabled)}
      >
        {t("Disable")}
      </Button>
      <Button variant="default" c="red" leftSection={<IconTrash size={15} />} onClick={() => void remove()}>
        {t("Delete")}
      </Button>
      {batch ? <BatchResult batch={batch} nameOf={nameOf} onDismiss={dismiss} /> : null}
    </>
  );
}

function BatchProgress({ batch, onStop }: { batch: Batch; onStop: () => void }) {
  const { t } = useTranslation();
  return (
    <Group gap="sm" wrap="nowrap" role="status">
      <Progress
        value={(batch.done / batch.total) * 100}
        w={140}
        size="sm"
        radius="xl"
        aria-label={batch.verb}
      />
      <Text fz="sm" className="tabular">
        {t("{{verb}}: {{done}} of {{total}}", batch)}
      </Text>
      <Button variant="subtle" color="gray" size="compact-sm" onClick={onStop}>
        {t("Stop")}
      </Button>
    </Group>
  );
}

type BatchResultProps = { batch: Batch; nameOf: (id: number) => string; onDismiss: () => void };

function BatchResult({ batch, nameOf, onDismiss }: BatchResultProps) {
  const { t } = useTranslation();
  const good = batch.done - batch.faults.length;
  return (
    <Group gap={10} role="status">
      <Text fz="sm" c="green" fw={500}>
        {t("{{count}} succeeded", { count: good })}
      </Text>
      {batch.faults.length > 0 ? (
        <Popover position="bottom-start" width={360} onDismiss={onDismiss}>
          <Popover.Target>
            <UnstyledButton fz="sm" c="red" fw={500} className={classes.link}>
              {t("{{count}} failed", { count: batch.faults.length })}
            </UnstyledButton>
          </Popover.Target>
          <Popover.Dropdown>
            <Faults faults={batch.faults} nameOf={nameOf} />
          </Popover.Dropdown>
        </Popover>
      ) : null}
    </Group>
  );
}

function Faults({ faults, nameOf }: { faults: BatchFault[]; nameOf: (id: number) => string }) {
  return (
    <Stack gap={10}>
      {faults.map(({ id, message }) => (
        <Box key={id}>
          <Text fz="sm" fw={500}>
            {nameOf(id)}
          </Text>
          <Text fz="xs" c="dimmed" className={classes.wrap}>
            {message}
          </Text>
        </Box>
      ))}
    </Stack>
  );
}
