import { ActionIcon, Button, Checkbox, Popover, SegmentedControl, Stack, Text, Tooltip } from "@mantine/core";
import { IconColumns3 } from "@tabler/icons-react";
import type { Table } from "@tanstack/react-table";
import { useTranslation } from "react-i18next";
import type { Density } from "#lib/lists/density.ts";
import type { Features } from "./table-model.ts";

type DisplayMenuProps<Row extends object> = {
  table: Pick<Table<Features, Row>, "getAllLeafColumns">;
  onReset: () => void;
  density: Density;
  onDensity: (density: Density) => void;
};

/** How a table is displayed: the height of its rows, stored for all lists, and its columns, stored per list. */
export function DisplayMenu<Row extends object>({
  table,
  onReset,
  density,
  onDensity,
}: DisplayMenuProps<Row>) {
  const { t } = useTranslation();
  return (
    <Popover position="bottom-end" trapFocus>
      <Tooltip label={t("Display")}>
        <Popover.Target>
          <ActionIcon size={34} aria-label={t("Display")}>
            <IconColumns3 size={18} stroke={1.7} />
          </ActionIcon>
        </Popover.Target>
      </Tooltip>
      <Popover.Dropdown>
        <Stack gap="xs" miw={220}>
          <Text fw={600}>{t("Row height in all lists")}</Text>
          <SegmentedControl
            size="xs"
            fullWidth
            aria-label={t("Row height in all lists")}
            data={[
              { value: "comfortable", label: t("Comfortable") },
              { value: "compact", label: t("Compact") },
            ]}
            value={density}
            onChange={onDensity}
          />
          <Text fw={600} mt={4}>
            {t("Columns")}
          </Text>
          {table.getAllLeafColumns().map((column) => (
            <Checkbox
              key={column.id}
              size="sm"
              label={String(column.columnDef.header)}
              checked={column.getIsVisible()}
              disabled={!column.getCanHide()}
              onChange={(event) => column.toggleVisibility(event.currentTarget.checked)}
            />
          ))}
          <Button variant="subtle" size="compact-sm" onClick={onReset}>
            {t("Reset")}
          </Button>
        </Stack>
      </Popover.Dropdown>
    </Popover>
  );
}
