/** Actions for the selected channels, and their progress. */
import { ChannelStatus } from "@gateway/shared/channels/channel-status";
import {
  ActionIcon,
  Box,
  Button,
  Group,
  Menu,
  Popover,
  Progress,
  Stack,
  Text,
  UnstyledButton,
} from "@mantine/core";
import {
  IconDots,
  IconDownload,
  IconGauge,
  IconPencil,
  IconPlayerPause,
  IconPower,
  IconTrash,
  IconWallet,
} from "@tabler/icons-react";
import { useQueryClient } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { channelIdsQuery } from "#features/channels/api.ts";
import { useMayChange } from "#lib/changes.ts";
import { faultText } from "#lib/errors/error-text.ts";
import { confirm } from "#ui/confirm.tsx";
import { toast } from "#ui/toast.tsx";
import { deleteChannels, offerToEnable, switchChannels } from "./batch-api.ts";
import { type Batch, type BatchFault, useBatch } from "./batch.ts";
import classes from "#features/channels/channels.module.css";

type ChannelBulkBarProps = {
  ids: number[];
  onTest: (ids: number[]) => void;
  onBalances: (ids: number[]) => void;
  onEdit: (ids: number[]) => void;
  onExport: (ids: number[]) => void;
  /** Called with the ids of deleted channels. */
  onDeleted: (ids: number[]) => void;
};

export function ChannelBulkBar({
  ids,
  onTest,
  onBalances,
  onEdit,
  onExport,
  onDeleted,
}: ChannelBulkBarProps) {
  const { t } = useTranslation("channels");
  const mayChange = useMayChange();
  const client = useQueryClient();
  const { batch, run, stop, dismiss } = useBatch();

  const setStatus = (on: boolean) =>
    run(on ? t("Enabling") : t("Disabling"), ids, (some) => switchChannels(some, on));
  const disable = async () => {
    // Those that were disabled before stay disabled after an undo.
    const enabled = new Set(await client.fetchQuery(channelIdsQuery({ status: ChannelStatus.enabled })));
    const { done } = await setStatus(false);
    const changed = done.filter((id) => enabled.has(id));
    if (changed.length > 0)
      offerToEnable(client, t("{{count}} channels disabled", { count: changed.length }), changed);
  };
  const remove = async () => {
    const sure = await confirm({
      title: t("Delete {{count}} channels?", { count: ids.length }),
      body: t("Their keys are deleted. Their calls stay in the log."),
      action: t("Delete"),
    });
    if (!sure) return;
    const { done, failed } = await run(t("Deleting"), ids, deleteChannels);
    const [first] = failed;
    if (first) toast.error(t("Batch deletion failed with {{message}}", { message: faultText(t, first) }));
    else toast.success(t("{{count}} channels deleted", { count: done.length }));
    onDeleted(done);
  };

  if (!mayChange)
    return (
      <Button variant="default" leftSection={<IconDownload size={15} />} onClick={() => onExport(ids)}>
        {t("Export")}
      </Button>
    );
  if (batch?.running) return <BatchProgress batch={batch} onStop={stop} />;
  return (
    <>
      <Button variant="default" leftSection={<IconGauge size={15} />} onClick={() => onTest(ids)}>
        {t("Test")}
      </Button>
      <Button variant="default" leftSection={<IconPencil size={15} />} onClick={() => onEdit(ids)}>
        {t("Edit")}
      </Button>
      <Button variant="default" leftSection={<IconPower size={15} />} onClick={() => void setStatus(true)}>
        {t("Enable")}
      </Button>
      <Button variant="default" leftSection={<IconPlayerPause size={15} />} onClick={() => void disable()}>
        {t("Disable")}
      </Button>
      <Button variant="default" c="red" leftSection={<IconTrash size={15} />} onClick={() => void remove()}>
        {t("Delete")}
      </Button>
      <Menu position="bottom-start" width={200}>
        <Menu.Target>
          <ActionIcon size={34} aria-label={t("More actions for the selected channels")}>
            <IconDots size={17} />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item leftSection={<IconWallet size={16} />} onClick={() => onBalances(ids)}>
            {t("Refresh balances")}
          </Menu.Item>
          <Menu.Item leftSection={<IconDownload size={16} />} onClick={() => onExport(ids)}>
            {t("Export")}
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      {batch ? <BatchResult batch={batch} onDismiss={dismiss} /> : null}
    </>
  );
}

function BatchProgress({ batch, onStop }: { batch: Batch; onStop: () => void }) {
  const { t } = useTranslation("channels");
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

function BatchResult({ batch, onDismiss }: { batch: Batch; onDismiss: () => void }) {
  const { t } = useTranslation("channels");
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
            <Faults faults={batch.faults} />
          </Popover.Dropdown>
        </Popover>
      ) : null}
    </Group>
  );
}

export function Faults({ faults }: { faults: BatchFault[] }) {
  const { t } = useTranslation("channels");
  return (
    <Stack gap={10}>
      {faults.map(({ id, name, ...fault }) => (
        <Box key={`${id} ${name}`}>
          <Text fz="sm" fw={500}>
            {name}
          </Text>
          <Text fz="xs" c="dimmed" className={classes.wrap}>
            {faultText(t, fault)}
          </Text>
        </Box>
      ))}
    </Stack>
  );
}
