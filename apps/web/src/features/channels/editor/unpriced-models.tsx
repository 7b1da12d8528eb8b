import type { PriceRow } from "@gateway/shared/billing/price";
import { Anchor, Text } from "@mantine/core";
import { queryOptions, useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { useTranslation } from "react-i18next";
import { Link } from "react-router-dom";
import { joinList } from "#lib/format/join-list.ts";
import { asList, http } from "#lib/http.ts";

/** The same query as on the price screen, so that both share the response. */
const pricesQuery = queryOptions({
  queryKey: ["prices", "list"],
  queryFn: () => http.get("/prices", asList<PriceRow[]>()),
  staleTime: 30_000,
});

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
    const exact = new Set(prices.map((row) => row.model));
    const beginnings = prices.filter((row) => row.model.endsWith("*")).map((row) => row.model.slice(0, -1));
    const billed = models.map((model) => {
      const target = mapping[model];
      return target === undefined || target.startsWith("+") ? model : target;
    });
    return [...new Set(billed)].filter(
      (name) =>
        !name.endsWith("*") &&
        !exact.has(name) &&
        !beginnings.some((beginning) => name.startsWith(beginning)),
    );
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
