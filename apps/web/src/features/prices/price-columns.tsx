/** Columns of the two views of the price list. */
import type { PriceRow } from "@gateway/shared/billing/price";
import type { ModelOwnerRow } from "@gateway/shared/channels/owner";
import { Badge, Group, Text, Tooltip } from "@mantine/core";
import { IconLock } from "@tabler/icons-react";
import type { TFunction } from "i18next";
import { OwnerIcon } from "#components/icons/owner-icon.tsx";
import { joinList } from "#lib/format/join-list.ts";
import { RelativeTime } from "#ui/relative-time.tsx";
import { Short } from "#ui/short.tsx";
import type { Column } from "#ui/table/table-model.ts";
import { ExtrasCell, ModelCell, PriceCell } from "./price-cells.tsx";
import type { PriceGroup } from "./price-list.ts";
import type { Scale } from "./rate-units.ts";

export type Owners = ReadonlyMap<number, ModelOwnerRow>;

export function ownerName(owners: Owners, id: number, t: TFunction<"prices">): string {
  return owners.get(id)?.name ?? t("Unknown owner");
}

const billingText = (type: string, t: TFunction<"prices">) =>
  type === "times" ? t("per call") : t("by tokens");

export function priceColumns(t: TFunction<"prices">, owners: Owners, scale: Scale): Column<PriceRow>[] {
  return [
    {
      id: "model",
      title: t("Model"),
      fixed: true,
      sortable: true,
      width: 280,
      cell: (row) => <ModelCell price={row} owner={ownerName(owners, row.channel_type, t)} />,
    },
    { id: "type", title: t("Billed"), cell: (row) => billingText(row.type, t) },
    ...sides(t, scale, (row: PriceRow) => row, true),
    {
      id: "extras",
      title: t("Extended pricing"),
      secondary: true,
      cell: (row) => <ExtrasCell price={row} />,
    },
    {
      id: "updated_time",
      title: t("Changed"),
      sortable: true,
      hidden: true,
      cell: (row) => <RelativeTime inList seconds={row.updated_time} />,
    },
  ];
}

export function groupColumns(t: TFunction<"prices">, owners: Owners, scale: Scale): Column<PriceGroup>[] {
  return [
    {
      id: "owner",
      title: t("Owner"),
      fixed: true,
      width: 150,
      cell: ({ price }) => {
        const owner = owners.get(price.channel_type);
        return (
          <Group gap={9} wrap="nowrap">
            <OwnerIcon icon={owner?.icon ?? ""} name={owner?.name ?? ""} />
            <Text fw={500} fz="sm">
              {ownerName(owners, price.channel_type, t)}
            </Text>
            {price.locked ? (
              <Tooltip label={t("Locked. Price lists do not change this price.")}>
                <IconLock size={14} role="img" tabIndex={0} aria-label={t("Locked")} />
              </Tooltip>
            ) : null}
          </Group>
        );
      },
    },
    { id: "type", title: t("Billed"), cell: ({ price }) => billingText(price.type, t) },
    ...sides(t, scale, (group: PriceGroup) => group.price, false),
    {
      id: "models",
      title: t("Models"),
      card: "title",
      cell: ({ models }) => (
        <Group gap={6} wrap="nowrap">
          <Short text={joinList(models)} width={220} />
          {models.length > 1 ? (
            <Badge variant="default" c="dimmed">
              {models.length}
            </Badge>
          ) : null}
        </Group>
      ),
    },
    {
      id: "extras",
      title: t("Extended pricing"),
      secondary: true,
      cell: ({ price }) => <ExtrasCell price={price} />,
    },
  ];
}

function sides<Row>(
  t: TFunction<"prices">,
  scale: Scale,
  priceOf: (row: Row) => PriceRow,
  sortable: boolean,
): Column<Row>[] {
  return (["input", "output"] as const).map((side) => ({
    id: side,
    title: side === "input" ? t("Input") : t("Output"),
    align: "right",
    card: "fact",
    sortable,
    cell: (row) => <PriceCell price={priceOf(row)} side={side} scale={scale} />,
  }));
}
