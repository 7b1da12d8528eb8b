import type { LogRow } from "@gateway/shared/usage/log";
import { Group, Tooltip } from "@mantine/core";
import { IconCornerDownRight } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import { GroupName } from "#components/group-name.tsx";

/** The charged group, with an arrow when it was the backup of another. */
export function ChargedGroup({ row }: { row: LogRow }) {
  const { t } = useTranslation("logs");
  const name = <GroupName symbol={row.group} />;
  if (!row.backup_group) return <span>{name}</span>;
  const label = t("Backup group");
  return (
    <Tooltip label={label}>
      <Group gap={4} wrap="nowrap" tabIndex={0}>
        <IconCornerDownRight size={14} aria-label={label} />
        {name}
      </Group>
    </Tooltip>
  );
}
