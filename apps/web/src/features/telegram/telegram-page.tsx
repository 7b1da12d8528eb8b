/** The custom commands of the Telegram bot. */
import type { TelegramMenuRow } from "@gateway/shared/site/telegram";
import { Badge, Button, Text } from "@mantine/core";
import { IconBrandTelegram, IconPlus } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import type { TFunction } from "i18next";
import { useMemo } from "react";
import { useTranslation } from "react-i18next";
import { NEW, useDrawerParam } from "#lib/address/drawer-param.ts";
import { useListParams } from "#lib/address/list-params.ts";
import { telegramMenuParams } from "#lib/address/list-queries.ts";
import { useMayChange } from "#lib/changes.ts";
import { confirmDeletion } from "#ui/confirm.tsx";
import { Empty } from "#ui/empty.tsx";
import { lazyPart } from "#ui/lazy-part.tsx";
import { OpenedRow } from "#ui/page/opened-row.tsx";
import { Page } from "#ui/page/page.tsx";
import { DataTable } from "#ui/table/data-table.tsx";
import { NoMatches, SearchBox } from "#ui/table/filters.tsx";
import { pagedList } from "#ui/table/paged-list.ts";
import { EditButtons } from "#ui/table/row-buttons.tsx";
import type { Column } from "#ui/table/table-model.ts";
import { fetchMenu, menusQuery, useDeleteMenu } from "./api.ts";
import { BotState } from "./bot-state.tsx";

const CommandDrawer = lazyPart(() => import("./command-drawer.tsx").then((module) => module.CommandDrawer));

export default function TelegramPage() {
  const { t } = useTranslation("telegram");
  const mayChange = useMayChange();
  const [params, setParams] = useListParams(telegramMenuParams);
  const menus = useQuery(menusQuery(params));
  const remove = useDeleteMenu();
  const edited = useDrawerParam();
  const columns = useMemo(() => menuColumns(t), [t]);

  const destroy = async (menu: TelegramMenuRow) => {
    await confirmDeletion(
      { title: t("Delete {{name}}?", { name: `/${menu.command}` }), body: t("This cannot be undone.") },
      () => remove.mutateAsync(menu.id),
    );
  };

  const newCommand = mayChange ? (
    <Button leftSection={<IconPlus size={16} />} onClick={() => edited.open(NEW)}>
      {t("New command")}
    </Button>
  ) : null;

  return (
    <Page
      title={t("Telegram bot")}
      description={t(
        "Commands that users can send to your bot, with its replies. /bind, /unbind and /balance are built in.",
      )}
      actions={newCommand}
    >
      <BotState />
      <DataTable
        id="telegram-menus"
        views="telegram-menus"
        label={t("Commands")}
        columns={columns}
        {...pagedList(menus, params, setParams)}
        rowKey={(menu) => String(menu.id)}
        onOpen={(menu) => edited.open(menu.id)}
        rowActions={(menu) => (
          <EditButtons onEdit={() => edited.open(menu.id)} onDelete={() => void destroy(menu)} />
        )}
        toolbar={
          <SearchBox
            value={params.keyword}
            onChange={(keyword) => setParams({ keyword })}
            placeholder={t("Command or ID")}
          />
        }
        empty={
          params.keyword === "" ? (
            <Empty
              icon={IconBrandTelegram}
              title={t("No commands yet")}
              hint={t("Add commands that reply with your prices, contact details or rules, for example.")}
              action={newCommand}
            />
          ) : (
            <NoMatches title={t("No command matches")} onClear={() => setParams({ keyword: "" })} />
          )
        }
      />
      <OpenedRow
        opened={edited}
        rows={menus.data?.data}
        keyOf={(menu) => String(menu.id)}
        load={fetchMenu}
        create={mayChange ? <CommandDrawer menu={undefined} onClose={edited.close} /> : undefined}
      >
        {(menu) => <CommandDrawer key={menu.id} menu={menu} onClose={edited.close} />}
      </OpenedRow>
    </Page>
  );
}

function menuColumns(t: TFunction<"telegram">): Column<TelegramMenuRow>[] {
  return [
    {
      id: "command",
      title: t("Command"),
      fixed: true,
      sortable: true,
      width: 160,
      cell: (menu) => (
        <Text ff="monospace" fw={500} fz="sm">
          /{menu.command}
        </Text>
      ),
    },
    {
      id: "description",
      title: t("Description"),
      sortable: true,
      cell: (menu) => (
        <Text fz="sm" truncate maw="calc(280px + var(--spare))">
          {menu.description}
        </Text>
      ),
    },
    {
      id: "parse_mode",
      title: t("Message type"),
      sortable: true,
      card: "fact",
      cell: (menu) => <Badge color="gray">{menu.parse_mode}</Badge>,
    },
    {
      id: "reply_message",
      title: t("Reply"),
      cell: (menu) => (
        <Text fz="sm" c="dimmed" truncate maw="calc(420px + var(--spare))">
          {menu.reply_message}
        </Text>
      ),
    },
    { id: "id", title: "ID", align: "right", sortable: true, card: "fact", cell: (menu) => menu.id },
  ];
}
