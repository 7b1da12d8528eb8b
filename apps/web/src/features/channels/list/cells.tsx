/** Cells of the channel list. */
import type { ChannelRow } from "@gateway/shared/channels/channel";
import { Box, Group, Text, VisuallyHidden } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { useGroupNames } from "#components/group-name.tsx";
import { ProviderIcon } from "#components/icons/provider-icon.tsx";
import { usePatchChannel, useProvider } from "#features/channels/api.ts";
import { providerWord } from "#features/channels/provider-labels.ts";
import { rankProblem } from "#features/channels/rank-problem.ts";
import { joinList } from "#lib/format/join-list.ts";
import { phrasesIn } from "#lib/i18n.ts";
import { isolateName } from "#lib/isolate-name.ts";
import { InlineNumber } from "#ui/form/inline-number.tsx";
import { useIsPhone } from "#ui/use-is-phone.ts";
import classes from "#features/channels/channels.module.css";

const phrase = phrasesIn("channels");

export function NameCell({ row }: { row: ChannelRow }) {
  const { t } = useTranslation("channels");
  const phone = useIsPhone();
  const provider = useProvider(row.type);
  const label = provider ? providerWord(t, provider.label) : t("Type {{type}}", { type: row.type });
  return (
    <Group gap={11} wrap="nowrap" className={classes.name}>
      <Box className={classes.logo}>
        <ProviderIcon name={provider?.icon ?? ""} size={18} />
      </Box>
      <Box miw={0}>
        <Text fw={500} fz="sm" truncate title={row.name}>
          {row.name}
        </Text>
        <Text c="dimmed" fz="xs" truncate>
          {label}
          {phone ? ` · #${row.id}` : ""}
          {row.tag ? ` · ${isolateName(row.tag)}` : ""}
        </Text>
      </Box>
    </Group>
  );
}

export function GroupsCell({ row }: { row: ChannelRow }) {
  const names = row.groups.map(useGroupNames());
  const [first = "", ...rest] = names;
  if (rest.length === 0)
    return (
      <Text span fz="sm" className={classes.groups} title={first}>
        {first}
      </Text>
    );
  return (
    <Text span fz="sm" title={joinList(names)} style={{ whiteSpace: "nowrap" }}>
      <span className={classes.groups}>{first}</span>
      <Text span c="dimmed" fz="sm" aria-hidden>
        {` +${rest.length}`}
      </Text>
      <VisuallyHidden>{joinList(rest)}</VisuallyHidden>
    </Text>
  );
}

const rankFailed = {
  priority: phrase("Priority update failed"),
  weight: phrase("Weight update failed"),
};

/** Priority or weight, edited in place and validated with the server's rule. */
export function RankCell({ row, field }: { row: ChannelRow; field: "priority" | "weight" }) {
  const { t } = useTranslation("channels");
  const patch = usePatchChannel(rankFailed[field]);
  const label = field === "priority" ? t("Priority") : t("Weight");
  return (
    <InlineNumber
      label={`${label}: ${row.name}`}
      value={row[field]}
      check={(value) => rankProblem(t, { [field]: value })}
      width={50}
      onSave={(value) => patch.mutateAsync({ id: row.id, patch: { [field]: value } })}
    />
  );
}
