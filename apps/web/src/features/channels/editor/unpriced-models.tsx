import { Anchor, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { useTranslation } from "react-i18next";
import { Link } from "react-router-dom";
import { joinList } from "#lib/format/join-list.ts";
import { pricesQuery } from "#lib/queries/prices.ts";
import { unpricedModels } from "#lib/unpriced-models.ts";

const mostShown = 8;

/**
 * Lists the models whose calls would be rejected for a missing price.
 * @param mapping a mapped model is billed as its target, unless that begins with +
 */
export function UnpricedModels({ models, mapping }: { models: string[]; mapping: Record<string, string> }) {
  const { t } = useTranslation("channels");
  const prices = useQuery(pricesQuery).data;
  const missing = useMemo(() => {
    if (prices === undefined) return [];
    const billed = models.map((model) => {
      const target = mapping[model];
      return target === undefined || target.startsWith("+") ? model : target;
    });
    return unpricedModels(billed, prices);
  }, [prices, models, mapping]);
  if (missing.length === 0) return null;
  const shown = joinList(missing.slice(0, mostShown));
  return (
    <Text fz="sm" c="amber" mt={8}>
      {t("These models have no price, so calls to them are refused:")} {shown}
      {missing.length > mostShown ? " …" : ""}{" "}
      <Anchor component={Link} to="/panel/pricing" target="_blank" fz="sm">
        {t("Set prices")}
      </Anchor>
    </Text>
  );
}
