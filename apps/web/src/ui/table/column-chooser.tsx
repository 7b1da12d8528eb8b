import { ActionIcon, Button, Checkbox, Popover, Stack, Text, Tooltip } from "@mantine/core";
import { IconColumns3 } from "@tabler/icons-react";
import type { Table } from "@tanstack/react-table";
import { useTranslation } from "react-i18next";
import type { Features } from "./table-model.ts";

/** Selects the visible columns. The selection is stored per list. */
export function ColumnChooser<Row extends object>(props: {
  table: Pick<Table<Features, Row>, "getAllLeafColumns">;
  onReset: () => void;
}) {
  const { t } = useTranslation();
  const columns = props.table.getAllLeafColumns();
  return (
    <Popover position="bottom-end" trapFocus>
      <Tooltip label={t("Columns")}>
        <Popover.Target>
          <ActionIcon size={34} aria-label={t("Columns")}>
            <IconColumns3 size={18} stroke={1.7} />
          </ActionIcon>
        </Popover.Target>
      </Tooltip>
      <Popover.Dropdown>
        <Stack gap="xs" miw={180}>
          <Text fw={600}>{t("Columns")}</Text>
          {columns.map((column) => (
            <Checkbox
              key={column.id}
              size="sm"
              label={String(column.columnDef.header)}
              checked={column.getIsVisible()}
              disabled={!column.getCanHide()}
              onChange={(event) => column.toggleVisibility(event.currentTarget.checked)}
            />
          ))}
          <Button variant="subtle" size="compact-sm" onClick={props.onReset}>
            {t("Reset")}
          </Button>
        </Stack>
      </Popover.Dropdown>
    </Popover>
  );
}
