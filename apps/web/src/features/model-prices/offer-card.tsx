/** A model on a card: owner, prices in the selected group, and health. */
import type { ModelHealth } from "@gateway/shared/models/model-health";
import { Badge, Card, Group, Text } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { Link } from "react-router-dom";
import { ModelIcon } from "#components/icons/provider-icon.tsx";
import { formatDuration, useFormat } from "#lib/format/quota.ts";
import { useCnyPerUsd } from "#lib/site.ts";
import { CopyButton } from "#ui/copy.tsx";
import { useIsPhone } from "#ui/use-is-phone.ts";
import { CompareButton } from "./comparison/compare-button.tsx";
import type { Comparison } from "./comparison/use-comparison.ts";
import { type Offer, priceOf, type TokenUnit } from "./offers.ts";
import classes from "./model-prices.module.css";

export type OfferCardProps = {
  offer: Offer;
  health: ModelHealth | undefined;
  unit: TokenUnit;
  group: string;
  groupRatio: number;
  /** Names of the groups by symbol. */
  groupNames: Map<string, string>;
  to: string;
  comparison: Comparison;
};

export function OfferCard(props: OfferCardProps) {
  const { t } = useTranslation("model-prices");
  const phone = useIsPhone();
  const { offer, group, to } = props;
  const reachable = offer.groups.includes(group);
  return (
    <Card
      component="li"
      padding={phone ? "sm" : "md"}
      className={classes.card}
      data-quiet={!reachable || undefined}
    >
      <Group gap={10} wrap="nowrap" align="flex-start">
        <span className={classes.logo}>
          <ModelIcon model={offer.model} size={20} />
        </span>
        <div className={classes.name}>
          <Link to={to} className={classes.open}>
            {offer.model}
          </Link>
          {phone ? (
            <PhoneLine {...props} />
          ) : (
            <Text c="dimmed" fz="xs" lh={1.4}>
              {offer.owner || "–"}
            </Text>
          )}
        </div>
        <Group gap={4} wrap="nowrap">
          <CompareButton model={offer.model} comparison={props.comparison} />
          <CopyButton text={offer.model} label={t("Model name")} size={26} />
        </Group>
      </Group>
      {phone ? null : <Details {...props} />}
    </Card>
  );
}

/** Price and status below the name. */
function PhoneLine({ offer, health, unit, group, groupRatio }: OfferCardProps) {
  const { t } = useTranslation("model-prices");
  const cnyPerUsd = useCnyPerUsd();
  const price = (ratio: number) =>
    priceOf(offer, ratio, groupRatio, { unit, freeWord: t("Free"), cnyPerUsd });
  const cost = !offer.groups.includes(group)
    ? t("Not in this group")
    : offer.type === ""
      ? t("No price")
      : offer.type === "times"
        ? `${price(offer.input)} ${t("per call")}`
        : `${t("Input")} ${price(offer.input)} · ${t("Output")} ${price(offer.output)}`;
  return (
    <>
      <Text fz="xs" lh={1.5} className="tabular">
        {cost}
      </Text>
      <HealthLine health={health} />
    </>
  );
}

function Details({ offer, health, unit, group, groupRatio, groupNames }: OfferCardProps) {
  const { t } = useTranslation("model-prices");
  const cnyPerUsd = useCnyPerUsd();
  const reachable = offer.groups.includes(group);
  const price = (ratio: number) =>
    priceOf(offer, ratio, groupRatio, { unit, freeWord: t("Free"), cnyPerUsd });
  const perCall = offer.type === "times";
  return (
    <>
      {offer.info?.description ? (
        <Text c="dimmed" fz="xs" lineClamp={2}>
          {offer.info.description}
        </Text>
      ) : null}
      <div className={classes.prices}>
        {!reachable || offer.type === "" ? (
          <Text c="dimmed" fz="sm">
            {reachable ? t("No price") : t("Not in this group")}
          </Text>
        ) : (
          (perCall ? (["input"] as const) : (["input", "output"] as const)).map((side) => (
            <div key={side}>
              <Text c="dimmed" fz="xs">
                {perCall ? t("Per call") : side === "input" ? t("Input") : t("Output")}
              </Text>
              <Text fw={600} className="tabular">
                {price(offer[side])}
              </Text>
            </div>
          ))
        )}
      </div>
      <div className={classes.foot}>
        <HealthLine health={health} />
        {groupNames.size > 1 ? (
          <Group gap={4}>
            {offer.groups.map((symbol) => (
              <Badge key={symbol} size="sm" color={symbol === group ? "iris" : "gray"}>
                {groupNames.get(symbol) ?? symbol}
              </Badge>
            ))}
          </Group>
        ) : null}
      </div>
    </>
  );
}

/** "99.9% available · 0.8 s to first token · 45 tokens/s", without unknown values. */
function HealthLine({ health }: { health: ModelHealth | undefined }) {
  const { t } = useTranslation("model-prices");
  const format = useFormat();
  if (health === undefined) return null;
  const parts = [
    health.availability === null
      ? null
      : t("{{share}} available", { share: format.percent(health.availability) }),
    health.first_p50 === null ? null : t("first token {{time}}", { time: formatDuration(health.first_p50) }),
    health.tokens_per_second === null
      ? null
      : t("{{count}} tokens/s", { count: Math.round(health.tokens_per_second) }),
  ].filter((part) => part !== null);
  if (parts.length === 0) return null;
  return (
    <Text c="dimmed" fz="xs" className="tabular">
      {parts.join(" · ")}
    </Text>
  );
}
