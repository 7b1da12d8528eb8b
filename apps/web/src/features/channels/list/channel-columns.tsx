import type { ChannelRow } from "@gateway/shared/channels/channel";
import { Text } from "@mantine/core";
import { useMemo } from "react";
import { useTranslation } from "react-i18next";
import { RelativeTime } from "#ui/relative-time.tsx";
import type { Column } from "#ui/table/table-model.ts";
import { GroupsCell, NameCell, RankCell } from "./cells.tsx";
import { HealthCell } from "./health-cell.tsx";
import { ModelsCell } from "./models-cell.tsx";
import { ResponseCell } from "./response-cell.tsx";
import { SpendCell } from "./spend-cell.tsx";

/**
 * Returns the same array until the language changes: a cell
 * with a new function would be remounted and lose its focus.
 */
export function useChannelColumns(): Column<ChannelRow>[] {
  const { t } = useTranslation("channels");
  return useMemo(
    () => [
      {
        id: "name",
        title: t("Name"),
        fixed: true,
        sortable: true,
        width: 190,
        cell: (row) => <NameCell row={row} />,
      },
      {
        id: "id",
        title: t("ID"),
        sortable: true,
        hidden: true,
        card: "none",
        cell: (row) => (
          <Text span fz="sm" c="dimmed">
            {row.id}
          </Text>
        ),
      },
      {
        id: "status",
        title: t("Status"),
        sortable: true,
        card: "fact",
        cell: (row) => <HealthCell row={row} />,
      },
      {
        id: "response_time",
        secondary: true,
        title: t("Response"),
        sortable: true,
        card: "line",
        width: 112,
        cell: (row) => <ResponseCell row={row} />,
      },
      { id: "models", title: t("Models"), secondary: true, cell: (row) => <ModelsCell row={row} /> },
      { id: "groups", title: t("Groups"), secondary: true, cell: (row) => <GroupsCell row={row} /> },
      {
        id: "used_quota",
        title: t("Used / balance"),
        sortable: true,
        align: "right",
        amounts: (row) => [row.used_quota],
        cell: (row) => <SpendCell row={row} column="used_quota" />,
      },
      {
        id: "priority",
        title: t("Priority"),
        sortable: true,
        align: "right",
        cell: (row) => <RankCell row={row} field="priority" />,
      },
      {
        id: "weight",
        title: t("Weight"),
        sortable: true,
        align: "right",
        cell: (row) => <RankCell row={row} field="weight" />,
      },
      {
        id: "tag",
        title: t("Tag"),
        sortable: true,
        hidden: true,
        cell: (row) => row.tag || "–",
      },
      {
        id: "base_url",
        title: t("API address"),
        hidden: true,
        cell: (row) => (
          <Text span fz="xs" ff="monospace">
            {row.base_url || "–"}
          </Text>
        ),
      },
      {
        id: "created_time",
        title: t("Created"),
        sortable: true,
        hidden: true,
        cell: (row) => <RelativeTime inList seconds={row.created_time} />,
      },
    ],
    [t],
  );
}
