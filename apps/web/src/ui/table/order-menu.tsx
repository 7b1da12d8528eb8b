/** The sort order of a list on a phone, whose cards have no headers. */
import { ActionIcon, Menu } from "@mantine/core";
import { IconArrowDown, IconArrowsSort, IconArrowUp } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import { type Column, nextOrder } from "./table-model.ts";

type OrderMenuProps<Row> = { columns: Column<Row>[]; order: string; onOrder: (order: string) => void };

export function OrderMenu<Row>({ columns, order, onOrder }: OrderMenuProps<Row>) {
  const { t } = useTranslation();
  const arrowOf = (id: string) =>
    order === id ? <IconArrowUp size={15} /> : order === `-${id}` ? <IconArrowDown size={15} /> : null;
  const directionOf = (id: string) =>
    order === id ? t("ascending") : order === `-${id}` ? t("descending") : undefined;
  const field = order.replace(/^-/, "");
  return (
    <Menu position="bottom-end" width={220} withinPortal closeOnItemClick={false}>
      <Menu.Target>
        <ActionIcon size={36} variant={field === "" ? "default" : "light"} aria-label={t("Sort by")}>
          <IconArrowsSort size={17} stroke={1.7} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>{t("Sort by")}</Menu.Label>
        {columns
          .filter((column) => column.sortable)
          .map((column) => (
            <Menu.Item
              key={column.id}
              onClick={() => onOrder(nextOrder(order, column))}
              rightSection={arrowOf(column.id)}
              aria-description={directionOf(column.id)}
              fw={field === column.id ? 600 : undefined}
            >
              {column.title}
            </Menu.Item>
          ))}
      </Menu.Dropdown>
    </Menu>
  );
}
