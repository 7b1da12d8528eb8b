/** One click filters for what a model can do, and the order by price: "cheapest with vision" takes two clicks. */
import { UnstyledButton } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { phrasesIn } from "#lib/i18n.ts";
import { countFacet, type Facet, type Offer, type OfferFilter, type Sorting } from "./offers.ts";
import type { PriceView } from "./price-params.ts";
import classes from "./model-prices.module.css";

const phrase = phrasesIn("model-prices");

type Capability = { facet: Extract<Facet, "input" | "reasoning" | "cache">; value: string; label: string };

const capabilities: Capability[] = [
  { facet: "input", value: "image", label: phrase("Vision") },
  { facet: "input", value: "audio", label: phrase("Audio input") },
  { facet: "input", value: "pdf", label: phrase("PDF input") },
  { facet: "input", value: "video", label: phrase("Video input") },
  { facet: "reasoning", value: "yes", label: phrase("Reasoning") },
  { facet: "cache", value: "yes", label: phrase("Prompt caching") },
];

type CapabilityChipsProps = {
  /** Undefined while loading. */
  offers: Offer[] | undefined;
  filter: OfferFilter;
  sort: Sorting;
  onChange: (patch: Partial<PriceView>) => void;
};

export function CapabilityChips({ offers, filter, sort, onChange }: CapabilityChipsProps) {
  const { t } = useTranslation("model-prices");
  if (offers === undefined || offers.length === 0) return null;
  const shown = capabilities
    .map((each) => ({
      ...each,
      count: countFacet(offers, filter, each.facet).find(({ value }) => value === each.value)?.count ?? 0,
    }))
    .filter(({ facet, value, count }) => count > 0 || filter[facet] === value);
  const isCheapest = sort === "price";
  return (
    <div className={classes.chips} role="group" aria-label={t("Capabilities")}>
      {shown.map(({ facet, value, label, count }) => {
        const isOn = filter[facet] === value;
        return (
          <UnstyledButton
            key={label}
            className={classes.chip}
            aria-pressed={isOn}
            onClick={() => onChange({ [facet]: isOn ? "" : value })}
          >
            <span>{t(label)}</span>
            <span className={classes.note}>{count}</span>
          </UnstyledButton>
        );
      })}
      <UnstyledButton
        className={classes.chip}
        aria-pressed={isCheapest}
        onClick={() => onChange({ sort: isCheapest ? "usage" : "price" })}
      >
        {t("Cheapest first")}
      </UnstyledButton>
    </div>
  );
}
