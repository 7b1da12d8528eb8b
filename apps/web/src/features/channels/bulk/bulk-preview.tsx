/** Preview of a bulk edit, and the failures after it. */
import type { ChannelTagAnswer, FieldChange } from "@gateway/shared/channels/channel-batch";
import { lookupTable } from "@gateway/shared/lookup-table";
import { Alert, Box, Group, Stack, Text } from "@mantine/core";
import { IconAlertTriangle, IconTrash } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import { joinList } from "#lib/format/join-list.ts";
import { phrasesIn } from "#lib/i18n.ts";
import { Empty } from "#ui/empty.tsx";
import { Faults } from "./channel-bulk-bar.tsx";
import classes from "#features/channels/runs/runs.module.css";

const phrase = phrasesIn("channels");

/** More rows add no information and slow the page down. */
const mostShown = 100;

const fieldNames = lookupTable<string>({
  models: phrase("Models"),
  groups: phrase("Groups"),
  model_mapping: phrase("Model mapping"),
  priority: phrase("Priority"),
  weight: phrase("Weight"),
  tag: phrase("Tag"),
});

export function BulkPreview({ answer }: { answer: ChannelTagAnswer }) {
  const { t } = useTranslation("channels");
  const { changed, unchanged, failed, added, removed, preview } = answer;
  if (preview && changed.length + added.length + removed.length + failed.length === 0)
    return <Empty title={t("No changes")} hint={t("The selected channels already have these values.")} />;
  return (
    <Stack gap="md">
      {failed.length > 0 ? (
        <Alert
          color="amber"
          icon={<IconAlertTriangle size={17} />}
          title={
            preview
              ? t("{{count}} channels cannot be changed", { count: failed.length })
              : t("{{count}} channels were not changed", { count: failed.length })
          }
        >
          <Faults faults={failed.slice(0, mostShown)} />
        </Alert>
      ) : null}
      {removed.length > 0 ? (
        <Alert
          color="red"
          icon={<IconTrash size={17} />}
          title={t("{{count}} channels will be deleted", { count: removed.length })}
        >
          {joinList(removed.map((channel) => channel.name))}
        </Alert>
      ) : null}
      {added.length > 0 ? (
        <div>
          <Text fw={600} fz="sm">
            {t("{{count}} new channels", { count: added.length })}
          </Text>
          <Text fz="sm" ff="monospace" className={classes.added}>
            {joinList(added)}
          </Text>
        </div>
      ) : null}
      {changed.length > 0 ? (
        <div>
          <Group justify="space-between" mb={4}>
            <Text fw={600} fz="sm">
              {t("{{count}} channels will be changed", { count: changed.length })}
            </Text>
            {unchanged > 0 ? (
              <Text c="dimmed" fz="xs">
                {t("{{count}} unchanged", { count: unchanged })}
              </Text>
            ) : null}
          </Group>
          {changed.slice(0, mostShown).map((channel) => (
            <Box key={channel.id} className={classes.change}>
              <Text fw={500} fz="sm">
                {channel.name}
              </Text>
              {channel.changes.map((change) => (
                <Change key={change.field} change={change} />
              ))}
            </Box>
          ))}
          {changed.length > mostShown ? (
            <Text c="dimmed" fz="sm">
              {t("and {{count}} more", { count: changed.length - mostShown })}
            </Text>
          ) : null}
        </div>
      ) : null}
    </Stack>
  );
}

function Change({ change: { field, added, removed } }: { change: FieldChange }) {
  const { t } = useTranslation("channels");
  return (
    <Text fz="xs" className={classes.wrap}>
      <Text span c="dimmed" fz="xs">
        {t(fieldNames[field] ?? field)}
        {": "}
      </Text>
      {removed.length > 0 ? <span className={classes.removed}>{joinList(removed)}</span> : null}
      {removed.length > 0 && added.length > 0 ? " → " : null}
      {added.length > 0 ? <span className={classes.added}>{joinList(added)}</span> : null}
    </Text>
  );
}
