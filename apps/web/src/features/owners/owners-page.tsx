/** Owners of models: their names and logos, as shown with models and prices. */
import type { ModelOwnerRow } from "@gateway/shared/channels/owner";
import { LAST_RESERVED_OWNER } from "@gateway/shared/channels/reserved-owners";
import { Badge, Button, Group, Text } from "@mantine/core";
import { IconPlus } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import type { TFunction } from "i18next";
import { useMemo } from "react";
import { useTranslation } from "react-i18next";
import { OwnerIcon } from "#components/icons/owner-icon.tsx";
import { NEW, useDrawerParam } from "#lib/address/drawer-param.ts";
import { useListParams } from "#lib/address/list-params.ts";
import { textParam } from "#lib/address/params.ts";
import { useMayChange } from "#lib/changes.ts";
import { ownersQuery } from "#lib/queries/owners.ts";
import { confirmDeletion } from "#ui/confirm.tsx";
import { lazyPart } from "#ui/lazy-part.tsx";
import { OpenedRow } from "#ui/page/opened-row.tsx";
import { Page } from "#ui/page/page.tsx";
import { Short } from "#ui/short.tsx";
import { DataTable } from "#ui/table/data-table.tsx";
import { NoMatches, SearchBox } from "#ui/table/filters.tsx";
import { EditButtons } from "#ui/table/row-buttons.tsx";
import { type Column, inOrder } from "#ui/table/table-model.ts";
import { useDeleteOwner } from "./api.ts";

const OwnerDrawer = lazyPart(() => import("./owner-drawer.tsx").then((module) => module.OwnerDrawer));

const ownerParams = { keyword: textParam(), order: textParam() };

export default function OwnersPage() {
  const { t } = useTranslation("owners");
  const mayChange = useMayChange();
  const [params, setParams] = useListParams(ownerParams);
  const owners = useQuery(ownersQuery);
  const remove = useDeleteOwner();
  const edited = useDrawerParam();
  const columns = useMemo(() => ownerColumns(t), [t]);
  const searchText = params.keyword.trim().toLowerCase();
  const matches = owners.data?.filter(
    ({ id, name }) => name.toLowerCase().includes(searchText) || String(id) === searchText,
  );
  const rows = matches && inOrder(matches, columns, params.order);
  const freeId = Math.max(LAST_RESERVED_OWNER, ...(owners.data ?? []).map((owner) => owner.id)) + 1;

  const destroy = async (owner: ModelOwnerRow) => {
    await confirmDeletion(
      { title: t("Delete {{name}}?", { name: owner.name }), body: t("This cannot be undone.") },
      () => remove.mutateAsync(owner.id),
    );
  };

  return (
    <Page
      title={t("Model owners")}
      description={t("The owners of models and their logos. Prices refer to them.")}
      actions={
        mayChange ? (
          <Button leftSection={<IconPlus size={16} />} onClick={() => edited.open(NEW)}>
            {t("New owner")}
          </Button>
        ) : null
      }
    >
      <DataTable
        id="model-owners"
        views="model-owners"
        label={t("Model owners")}
        columns={columns}
        rows={rows}
        rowKey={(owner) => String(owner.id)}
        fetching={owners.isFetching}
        error={owners.error}
        onRetry={() => void owners.refetch()}
        onOpen={(owner) => edited.open(owner.id)}
        rowActions={(owner) => (
          <EditButtons
            onEdit={() => edited.open(owner.id)}
            {...(owner.id > LAST_RESERVED_OWNER ? { onDelete: () => void destroy(owner) } : {})}
          />
        )}
        paging={{ kind: "none" }}
        order={params.order}
        onOrder={(order) => setParams({ order })}
        toolbar={
          <SearchBox
            value={params.keyword}
            onChange={(keyword) => setParams({ keyword })}
            placeholder={t("Name or ID")}
          />
        }
        empty={<NoMatches title={t("No owner matches")} onClear={() => setParams({ keyword: "" })} />}
      />
      <OpenedRow
        opened={edited}
        rows={owners.data}
        keyOf={(owner) => String(owner.id)}
        create={
          mayChange && owners.data ? (
            <OwnerDrawer owner={undefined} freeId={freeId} onClose={edited.close} />
          ) : undefined
        }
      >
        {(owner) => <OwnerDrawer key={owner.id} owner={owner} freeId={freeId} onClose={edited.close} />}
      </OpenedRow>
    </Page>
  );
}

function ownerColumns(t: TFunction<"owners">): Column<ModelOwnerRow>[] {
  return [
    {
      id: "name",
      title: t("Name"),
      fixed: true,
      sortable: true,
      sortValue: (owner) => owner.name,
      width: 240,
      cell: (owner) => (
        <Group gap={10} wrap="nowrap">
          <OwnerIcon icon={owner.icon} name={owner.name} size={20} />
          <Short strong text={owner.name} width={320} />
        </Group>
      ),
    },
    {
      id: "id",
      title: "ID",
      card: "fact",
      sortable: true,
      sortValue: (owner) => owner.id,
      cell: (owner) => owner.id,
    },
    {
      id: "kind",
      title: t("Kind"),
      card: "fact",
      sortable: true,
      sortValue: (owner) => Number(owner.id <= LAST_RESERVED_OWNER),
      cell: (owner) =>
        owner.id > LAST_RESERVED_OWNER ? (
          <Badge color="iris">{t("Custom")}</Badge>
        ) : (
          <Text span fz="inherit" c="dimmed">
            {t("Known provider")}
          </Text>
        ),
    },
    {
      id: "icon",
      title: t("Icon"),
      sortable: true,
      sortValue: (owner) => owner.icon,
      cell: (owner) => (
        <Text ff="monospace" fz="xs" c="dimmed" truncate maw={320}>
          {owner.icon || "–"}
        </Text>
      ),
    },
  ];
}
