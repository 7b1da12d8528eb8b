/** One model on a card: who makes it, what it costs in the chosen group. */
import { Badge, Card, Group, Text, UnstyledButton } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { ModelIcon } from "#components/provider-icon.tsx";
import { CopyButton } from "#ui/copy.tsx";
import { type Offer, priceOf, type Unit } from "./offers.ts";
import classes from "./model-prices.module.css";

type OfferCardProps = { offer: Offer; unit: Unit; group: string; groupRatio: number; onOpen: () => void };

export function OfferCard({ offer, unit, group, groupRatio, onOpen }: OfferCardProps) {
  const { t } = useTranslation();
  const reachable = offer.groups.includes(group);
  const price = (ratio: number) =>
    priceOf(offer, ratio, groupRatio, { unit, freeWord: t("Free"), usdOnly: true });
  const perCall = offer.type === "times";
  return (
    <Card component="li" padding="md" className={classes.card} data-quiet={!reachable || undefined}>
      <Group gap={10} wrap="nowrap" align="flex-start">
        <span className={classes.logo}>
          <ModelIcon model={offer.model} size={20} />
        </span>
        <div className={classes.name}>
          <UnstyledButton className={classes.open} onClick={onOpen}>
            {offer.model}
          </UnstyledButton>
          <Text c="dimmed" fz="xs" lh={1.4}>
            {offer.owner || "–"}
          </Text>
        </div>
        <CopyButton text={offer.model} label={t("Model name")} size={26} />
      </Group>
      {offer.info?.description ? (
        <Text c="dimmed" fz="xs" lineClamp={2}>
          {offer.info.description}
        </Text>
      ) : null}
      <div className={classes.prices}>
        {!reachable ? (
          <Text c="dimmed" fz="sm">
            {t("Current group unavailable")}
          </Text>
        ) : offer.type === "" ? (
          <Text c="dimmed" fz="sm">
            {t("No price")}
          </Text>
        ) : (
          (perCall ? (["input"] as const) : (["input", "output"] as const)).map((side) => (
            <div key={side}>
              <Text c="dimmed" fz="xs">
                {perCall ? t("per call") : side === "input" ? t("Input") : t("Output")}
              </Text>
              <Text fw={600} className="tabular">
                {price(offer[side])}
              </Text>
            </div>
          ))
        )}
      </div>
      <Group gap={4} className={classes.groups}>
        {offer.groups.map((symbol) => (
          <Badge key={symbol} size="sm" color={symbol === group ? "iris" : "gray"}>
            {symbol}
          </Badge>
        ))}
      </Group>
    </Card>
  );
}
