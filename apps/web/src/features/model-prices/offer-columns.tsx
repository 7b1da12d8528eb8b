import { Badge, Group, Text } from "@mantine/core";
import { useMemo } from "react";
import { useTranslation } from "react-i18next";
import { ModelIcon } from "#components/icons/provider-icon.tsx";
import { useCnyPerUsd } from "#lib/site.ts";
import { CopyButton } from "#ui/copy.tsx";
import { Short } from "#ui/short.tsx";
import type { Column } from "#ui/table/table-model.ts";
import { CompareButton } from "./comparison/compare-button.tsx";
import type { Comparison } from "./comparison/use-comparison.ts";
import { type Offer, priceOf, type TokenUnit } from "./offers.ts";

type OfferColumnOptions = {
  unit: TokenUnit;
  group: string;
  groupRatio: number;
  /** Names of the groups by symbol. */
  groupNames: Map<string, string>;
  comparison: Comparison;
};

export function useOfferColumns(view: OfferColumnOptions): Column<Offer>[] {
  const { t } = useTranslation("model-prices");
  const { unit, group, groupRatio, groupNames, comparison } = view;
  const cnyPerUsd = useCnyPerUsd();
  return useMemo(() => {
    const price = (offer: Offer, ratio: number) => {
      if (!offer.groups.includes(group))
        return (
          <Text span c="dimmed" fz="inherit">
            {t("Not in this group")}
          </Text>
        );
      if (offer.type === "") return "–";
      return priceOf(offer, ratio, groupRatio, { unit, freeWord: t("Free"), cnyPerUsd });
    };
    return [
      {
        id: "model",
        title: t("Model"),
        fixed: true,
        width: 300,
        cell: (offer) => (
          <Group gap={8} wrap="nowrap">
            <ModelIcon model={offer.model} />
            <Text component="span" ff="monospace" fz="sm" fw={500}>
              <Short text={offer.model} width={240} />
            </Text>
            <CopyButton text={offer.model} label={t("Model name")} size={24} />
            <CompareButton model={offer.model} comparison={comparison} />
          </Group>
        ),
      },
      { id: "owner", title: t("Provider"), card: "none", cell: (offer) => offer.owner || "–" },
      {
        id: "type",
        title: t("Billed"),
        cell: (offer) =>
          offer.type === "times" ? t("per call") : offer.type === "" ? t("No price") : t("by tokens"),
      },
      {
        id: "input",
        title: t("Input"),
        align: "right",
        card: "fact",
        cell: (offer) => price(offer, offer.input),
      },
      {
        id: "output",
        title: t("Output"),
        align: "right",
        card: "fact",
        cell: (offer) => (offer.type === "times" ? "–" : price(offer, offer.output)),
      },
      {
        id: "groups",
        title: t("Groups"),
        card: "none",
        cell: (offer) => (
          <Group gap={4} wrap="nowrap" component="span" display="inline-flex">
            {offer.groups.map((symbol) => (
              <Badge key={symbol} color={symbol === group ? "iris" : "gray"}>
                <Short text={groupNames.get(symbol) ?? symbol} width={100} />
              </Badge>
            ))}
          </Group>
        ),
      },
    ];
  }, [t, unit, group, groupRatio, groupNames, comparison, cnyPerUsd]);
}
