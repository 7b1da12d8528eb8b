/** Prices of a model: by group, by kind of token, and for long inputs. */
import { formatPrice, USD_PER_1K_AT_RATIO_1 } from "@gateway/shared/billing/money";
import type { UserGroupMap } from "@gateway/shared/channels/group";
import { Badge, Text } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { isOutputKind, isTier, isTool, nameOfKind } from "#lib/labels/usage-kinds.ts";
import { useCnyPerUsd } from "#lib/site.ts";
import { Figures } from "#ui/figures/figures.tsx";
import { Section } from "#ui/page/page.tsx";
import { type Offer, priceOf } from "./offers.ts";

const unit = "M" as const;

type GroupPricesProps = {
  offer: Offer;
  groups: UserGroupMap;
  /** The user's group. */
  own: string;
};

export function GroupPrices({ offer, groups, own }: GroupPricesProps) {
  const { t } = useTranslation("model-prices");
  const options = { unit, freeWord: t("Free"), cnyPerUsd: useCnyPerUsd() };
  const perCall = offer.type === "times";
  return (
    <Section title={perCall ? t("Price of a call") : t("Price per million tokens")}>
      <Figures label={perCall ? t("Price of a call") : t("Price per million tokens")} wraps>
        <thead>
          <tr>
            <th scope="col">{t("Group")}</th>
            <th scope="col">{perCall ? t("Per call") : t("Input")}</th>
            {perCall ? null : <th scope="col">{t("Output")}</th>}
          </tr>
        </thead>
        <tbody>
          {Object.values(groups).map(({ symbol, name, ratio }) => {
            const reachable = offer.groups.includes(symbol) && offer.type !== "";
            return (
              <tr key={symbol}>
                <th scope="row">
                  <bdi>{name}</bdi>{" "}
                  <Text span c="dimmed" fz="xs">
                    ×{ratio}
                  </Text>
                  {symbol === own ? (
                    <Badge size="sm" ml={8}>
                      {t("Your group")}
                    </Badge>
                  ) : null}
                </th>
                {reachable ? (
                  <>
                    <td>{priceOf(offer, offer.input, ratio, options)}</td>
                    {perCall ? null : <td>{priceOf(offer, offer.output, ratio, options)}</td>}
                  </>
                ) : (
                  <td colSpan={perCall ? 1 : 2} data-quiet>
                    {offer.type === "" ? t("No price") : t("Not in this group")}
                  </td>
                )}
              </tr>
            );
          })}
        </tbody>
      </Figures>
    </Section>
  );
}

type PartProps = {
  offer: Offer;
  /** The group whose prices are shown. */
  group: { name: string; ratio: number };
};

/** Other kinds of tokens as multiples of the input or output price, and tools priced per call. */
export function Extras({ offer, group: { name, ratio } }: PartProps) {
  const { t } = useTranslation("model-prices");
  const cnyPerUsd = useCnyPerUsd();
  const entries = Object.entries(offer.extras);
  if (entries.length === 0) return null;
  const priceOfKind = (kind: string, value: number) => {
    if (isTool(kind))
      return formatPrice((value * ratio) / USD_PER_1K_AT_RATIO_1, { cnyPerUsd, freeWord: t("Free") });
    const multiple = (base: number) =>
      priceOf(offer, base * value, ratio, { unit, freeWord: t("Free"), cnyPerUsd });
    if (isTier(kind)) return `${multiple(offer.input)} · ${multiple(offer.output)}`;
    return multiple(isOutputKind(kind) ? offer.output : offer.input);
  };
  return (
    <Section
      title={t("Extended pricing")}
      hint={t("Prices of the group {{name}}. Tools are charged per call.", { name })}
    >
      <Figures label={t("Extended pricing")} wraps>
        <tbody>
          {entries.map(([kind, value]) => (
            <tr key={kind}>
              <th scope="row">{t(nameOfKind(kind))}</th>
              <td data-quiet>{isTool(kind) ? t("per call") : `×${Number(value.toPrecision(6))}`}</td>
              <td>{priceOfKind(kind, value)}</td>
            </tr>
          ))}
        </tbody>
      </Figures>
    </Section>
  );
}

/** Prices for inputs above a length. */
export function Tiers({ offer, group: { name, ratio } }: PartProps) {
  const { t } = useTranslation("model-prices");
  const cnyPerUsd = useCnyPerUsd();
  if (offer.tiers.length === 0) return null;
  const options = { unit, freeWord: t("Free"), cnyPerUsd };
  return (
    <Section title={t("Long context")} hint={t("Prices of the group {{name}}.", { name })}>
      <Figures label={t("Long context")} wraps>
        <thead>
          <tr>
            <th scope="col">{t("Input tokens above")}</th>
            <th scope="col">{t("Input")}</th>
            <th scope="col">{t("Output")}</th>
          </tr>
        </thead>
        <tbody>
          {offer.tiers.map((tier) => (
            <tr key={tier.above}>
              <th scope="row">{tier.above.toLocaleString()}</th>
              <td>{priceOf(offer, tier.input, ratio, options)}</td>
              <td>{priceOf(offer, tier.output, ratio, options)}</td>
            </tr>
          ))}
        </tbody>
      </Figures>
    </Section>
  );
}
