/** Up to three models side by side: prices, limits and capabilities. The lowest price of a row is marked. */
import { Badge, Group, Text } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { ModelIcon } from "#components/icons/provider-icon.tsx";
import {
  hasCachePrice,
  isReasoning,
  type Offer,
  priceOf,
  type TokenUnit,
} from "#features/model-prices/offers.ts";
import { joinList } from "#lib/format/join-list.ts";
import { useFormat } from "#lib/format/quota.ts";
import { nameOfModality } from "#lib/labels/modalities.ts";
import { useCnyPerUsd } from "#lib/site.ts";
import { HelpModal } from "#ui/form/help-modal.tsx";
import { useIsPhone } from "#ui/use-is-phone.ts";
import classes from "#features/model-prices/model-prices.module.css";

type ComparisonDialogProps = {
  offers: Offer[];
  unit: TokenUnit;
  group: string;
  groupRatio: number;
  onClose: () => void;
};

type Row = { title: string; of: (offer: Offer) => string; amount?: (offer: Offer) => number | null };

export function ComparisonDialog({ offers, unit, group, groupRatio, onClose }: ComparisonDialogProps) {
  const { t } = useTranslation("model-prices");
  const format = useFormat();
  const phone = useIsPhone();
  const cnyPerUsd = useCnyPerUsd();
  const print = (offer: Offer, ratio: number | null) =>
    ratio === null ? "–" : priceOf(offer, ratio, groupRatio, { unit, freeWord: t("Free"), cnyPerUsd });
  const priceRow = (title: string, ratioOf: (offer: Offer) => number | null): Row => ({
    title,
    of: (offer) => print(offer, ratioOf(offer)),
    amount: ratioOf,
  });
  const byToken = (of: (offer: Offer) => number) => (offer: Offer) =>
    offer.type === "tokens" ? of(offer) : null;
  const tokens = (count: number) => (count === 0 ? "–" : format.short(count));
  const modalities = (names: readonly string[] = []) =>
    names.length === 0 ? "–" : joinList(names.map((name) => t(nameOfModality(name))));
  const cacheRead = ({ extras, input }: Offer) => {
    const multiple = extras["cached_read_tokens"] ?? extras["cached_tokens"];
    return multiple === undefined ? null : input * multiple;
  };
  const answer = (isTrue: boolean) => (isTrue ? t("Yes") : "–");
  const rows: Row[] = [
    { title: t("Provider"), of: (offer) => offer.owner || "–" },
    priceRow(
      t("Input"),
      byToken((offer) => offer.input),
    ),
    priceRow(
      t("Output"),
      byToken((offer) => offer.output),
    ),
    priceRow(t("Cache read"), cacheRead),
    ...(offers.some(({ type }) => type === "times")
      ? [priceRow(t("Per call"), (offer) => (offer.type === "times" ? offer.input : null))]
      : []),
    { title: t("Context"), of: ({ info }) => tokens(info?.context_length ?? 0) },
    { title: t("Maximum output"), of: ({ info }) => tokens(info?.max_tokens ?? 0) },
    { title: t("Reads"), of: ({ info }) => modalities(info?.input_modalities) },
    { title: t("Writes"), of: ({ info }) => modalities(info?.output_modalities) },
    { title: t("Reasoning"), of: (offer) => answer(isReasoning(offer)) },
    { title: t("Prompt caching"), of: (offer) => answer(hasCachePrice(offer)) },
    { title: t("In your group"), of: (offer) => answer(offer.groups.includes(group)) },
  ];
  return (
    <HelpModal
      help="users#models"
      opened
      onClose={onClose}
      size={820}
      fullScreen={phone}
      title={t("Compare {{count}} models", { count: offers.length })}
    >
      <Text c="dimmed" fz="sm" mb="sm">
        {unit === "M" ? t("Prices per million tokens.") : t("Prices per thousand tokens.")}
      </Text>
      <div className={classes.sideBySide} tabIndex={0} role="region" aria-label={t("Comparison")}>
        <table>
          <thead>
            <tr>
              <th scope="col">{t("Model")}</th>
              {offers.map(({ model }) => (
                <th key={model} scope="col">
                  <Group gap={6} wrap="nowrap">
                    <ModelIcon model={model} size={16} />
                    <span>{model}</span>
                  </Group>
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map((row) => {
              const least = lowestOf(row, offers);
              return (
                <tr key={row.title}>
                  <th scope="row">{row.title}</th>
                  {offers.map((offer) => (
                    <td key={offer.model}>
                      <Group gap="2px 6px">
                        {row.of(offer)}
                        {least !== null && row.amount?.(offer) === least ? (
                          <Badge size="xs" color="green">
                            {t("Lowest")}
                          </Badge>
                        ) : null}
                      </Group>
                    </td>
                  ))}
                </tr>
              );
            })}
          </tbody>
        </table>
      </div>
    </HelpModal>
  );
}

/** Returns the lowest price of a row; null without one, or when all are the same. */
function lowestOf({ amount }: Row, offers: readonly Offer[]): number | null {
  const amounts = offers.flatMap((offer) => amount?.(offer) ?? []);
  if (amounts.length < 2 || new Set(amounts).size === 1) return null;
  return Math.min(...amounts);
}
