import type { LogRow } from "@gateway/shared/usage/log";
import { Group } from "@mantine/core";
import { IconCornerDownRight } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { groupsQuery } from "#lib/queries/tokens.ts";
import { Tooltip } from "#ui/floating/tooltip.tsx";

/** Returns the name of a group; the symbol of a deleted one. */
export function useGroupName(symbol: string): string {
  return useQuery(groupsQuery).data?.[symbol]?.name ?? symbol;
}

/** The charged group, with an arrow when it was the backup of another. */
export function GroupName({ row }: { row: LogRow }) {
  const { t } = useTranslation();
  const name = useGroupName(row.group);
  if (!row.backup_group) return <span>{name}</span>;
  const label = t("Backup group");
  return (
    <Tooltip label={label}>
      <Group gap={4} wrap="nowrap">
        <IconCornerDownRight size={14} aria-label={label} />
        {name}
      </Group>
    </Tooltip>
  );
}
