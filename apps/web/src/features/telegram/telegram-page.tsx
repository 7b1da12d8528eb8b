/** What the Telegram bot answers, besides its own commands. */
import { TelegramMenuQuery, type TelegramMenuRow } from "@gateway/shared/telegram";
import { ActionIcon, Badge, Button, Text, Tooltip } from "@mantine/core";
import { IconBrandTelegram, IconPencil, IconPlus, IconTrash } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import type { TFunction } from "i18next";
import { useMemo, useState } from "react";
import { useTranslation } from "react-i18next";
import { useMayChange } from "#lib/changes.ts";
import { useListParams } from "#lib/list-params.ts";
import { confirm } from "#ui/confirm.tsx";
import { DataTable } from "#ui/data-table.tsx";
import { Empty } from "#ui/empty.tsx";
import { SearchBox } from "#ui/filters.tsx";
import { Page } from "#ui/page.tsx";
import type { Column } from "#ui/table-model.ts";
import { toast } from "#ui/toast.tsx";
import { menusQuery, useDeleteMenu } from "./api.ts";
import { BotState } from "./bot-state.tsx";
import { MenuDrawer } from "./menu-drawer.tsx";

export default function TelegramPage() {
  const { t } = useTranslation();
  const mayChange = useMayChange();
  const [params, setParams] = useListParams(TelegramMenuQuery);
  const menus = useQuery(menusQuery(params));
  const remove = useDeleteMenu();
  const [edited, setEdited] = useState<TelegramMenuRow | "new" | null>(null);
  const columns = useMemo(() => menuColumns(t), [t]);

  const destroy = async (menu: TelegramMenuRow) => {
    const sure = await confirm({
      title: t("Delete {{name}}?", { name: `/${menu.command}` }),
      body: t("This cannot be undone."),
      action: t("Delete"),
    });
    if (!sure) return;
    await remove.mutateAsync(menu.id);
    toast.success(t("Deleted"));
  };

  const newCommand = mayChange ? (
    <Button leftSection={<IconPlus size={16} />} onClick={() => setEdited("new")}>
      {t("New command")}
    </Button>
  ) : null;

  return (
    <Page
      title={t("Telegram bot")}
      description={t(
        "Commands that people can send to your bot, with its replies. It knows /bind, /unbind and /balance by itself.",
      )}
      actions={newCommand}
    >
      <BotState />
      <DataTable
        id="telegram-menus"
        label={t("Commands")}
        columns={columns}
        rows={menus.data?.data}
        rowKey={(menu) => String(menu.id)}
        fetching={menus.isFetching}
        error={menus.error}
        onRetry={() => void menus.refetch()}
        order={params.order}
        onOrder={(order) => setParams({ order })}
        onOpen={setEdited}
        rowActions={(menu) =>
          mayChange ? (
            <>
              <Tooltip label={t("Edit")}>
                <ActionIcon size={28} aria-label={t("Edit")} onClick={() => setEdited(menu)}>
                  <IconPencil size={15} />
                </ActionIcon>
              </Tooltip>
              <Tooltip label={t("Delete")}>
                <ActionIcon size={28} aria-label={t("Delete")} onClick={() => void destroy(menu)}>
                  <IconTrash size={15} />
                </ActionIcon>
              </Tooltip>
            </>
          ) : null
        }
        paging={{
          kind: "pages",
          page: params.page,
          size: params.size,
          total: menus.data?.total_count,
          onChange: setParams,
        }}
        toolbar={
          <SearchBox
            value={params.keyword}
            onChange={(keyword) => setParams({ keyword })}
            placeholder={t("Command or id")}
          />
        }
        empty={
          params.keyword === "" ? (
            <Empty
              icon={IconBrandTelegram}
              title={t("No commands yet")}
              hint={t("A price list, how to reach you, the rules: what people ask most.")}
              action={newCommand}
            />
          ) : (
            <Empty
              title={t("No command matches")}
              action={
                <Button variant="default" onClick={() => setParams({ keyword: "" })}>
                  {t("Clear the search")}
                </Button>
              }
            />
          )
        }
      />
      {edited ? (
        <MenuDrawer menu={edited === "new" ? undefined : edited} onClose={() => setEdited(null)} />
      ) : null}
    </Page>
  );
}

function menuColumns(t: TFunction): Column<TelegramMenuRow>[] {
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
        <Text fz="sm" truncate maw={280}>
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
        <Text fz="sm" c="dimmed" truncate maw={420}>
          {menu.reply_message}
        </Text>
      ),
    },
    { id: "id", title: "ID", align: "right", sortable: true, card: "fact", cell: (menu) => menu.id },
  ];
}
