import { formatRate } from "@gateway/shared/billing/money";
/** Prices of a model: by group, by kind of token, and for long inputs. */
import type { UserGroupMap } from "@gateway/shared/channels/group";
import { Badge, Table, Text } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { isOutputKind, isTier, isTool, nameOfKind } from "#lib/labels/usage-kinds.ts";
import { Section } from "#ui/page.tsx";
import { type Offer, priceOf } from "./offers.ts";

const unit = "M" as const;

type GroupPricesProps = {
  offer: Offer;
  groups: UserGroupMap;
  /** The user's group. */
  own: string;
};

export function GroupPrices({ offer, groups, own }: GroupPricesProps) {
  const { t } = useTranslation();
  const options = { unit, freeWord: t("Free"), usdOnly: true };
  const perCall = offer.type === "times";
  return (
    <Section title={perCall ? t("Price of a call") : t("Price per million tokens")}>
      <Table className="tabular">
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{t("Group")}</Table.Th>
            <Table.Th ta="right">{perCall ? t("Per call") : t("Input")}</Table.Th>
            {perCall ? null : <Table.Th ta="right">{t("Output")}</Table.Th>}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {Object.values(groups).map(({ symbol, name, ratio }) => {
            const reachable = offer.groups.includes(symbol) && offer.type !== "";
            return (
              <Table.Tr key={symbol}>
                <Table.Td>
                  {name}{" "}
                  <Text span c="dimmed" fz="xs">
                    ×{ratio}
                  </Text>
                  {symbol === own ? (
                    <Badge size="sm" ml={8}>
                      {t("Your group")}
                    </Badge>
                  ) : null}
                </Table.Td>
                {reachable ? (
                  <>
                    <Table.Td ta="right">{priceOf(offer, offer.input, ratio, options)}</Table.Td>
                    {perCall ? null : (
                      <Table.Td ta="right">{priceOf(offer, offer.output, ratio, options)}</Table.Td>
                    )}
                  </>
                ) : (
                  <Table.Td ta="right" colSpan={2} c="dimmed">
                    {offer.type === "" ? t("No price") : t("Not in this group")}
                  </Table.Td>
                )}
              </Table.Tr>
            );
          })}
        </Table.Tbody>
      </Table>
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
  const { t } = useTranslation();
  const entries = Object.entries(offer.extras);
  if (entries.length === 0) return null;
  const priceOfKind = (kind: string, value: number) => {
    if (isTool(kind)) return `$${formatRate(value * ratio)}`;
    const multiple = (base: number) =>
      priceOf(offer, base * value, ratio, { unit, freeWord: t("Free"), usdOnly: true });
    if (isTier(kind)) return `${multiple(offer.input)} / ${multiple(offer.output)}`;
    return multiple(isOutputKind(kind) ? offer.output : offer.input);
  };
  return (
    <Section
      title={t("Extended pricing")}
      hint={t("Prices of the group {{name}}. Tools are charged per call.", { name })}
    >
      <Table className="tabular">
        <Table.Tbody>
          {entries.map(([kind, value]) => (
            <Table.Tr key={kind}>
              <Table.Td>{t(nameOfKind(kind))}</Table.Td>
              <Table.Td ta="right" c="dimmed">
                {isTool(kind) ? t("per call") : `×${Number(value.toPrecision(6))}`}
              </Table.Td>
              <Table.Td ta="right">{priceOfKind(kind, value)}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Section>
  );
}

/** Prices for inputs above a length. */
export function Tiers({ offer, group: { name, ratio } }: PartProps) {
  const { t } = useTranslation();
  if (offer.tiers.length === 0) return null;
  const options = { unit, freeWord: t("Free"), usdOnly: true };
  return (
    <Section title={t("Long context")} hint={t("Prices of the group {{name}}.", { name })}>
      <Table className="tabular">
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{t("Input tokens above")}</Table.Th>
            <Table.Th ta="right">{t("Input")}</Table.Th>
            <Table.Th ta="right">{t("Output")}</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {offer.tiers.map((tier) => (
            <Table.Tr key={tier.above}>
              <Table.Td>{tier.above.toLocaleString()}</Table.Td>
              <Table.Td ta="right">{priceOf(offer, tier.input, ratio, options)}</Table.Td>
              <Table.Td ta="right">{priceOf(offer, tier.output, ratio, options)}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Section>
  );
}
