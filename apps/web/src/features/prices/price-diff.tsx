/** Additions, changes and removals of a price list, line by line. */
import type { ListedPrice, PriceChanges } from "@gateway/shared/billing/price";
import { Text } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { nameOfKind } from "#lib/labels/usage-kinds.ts";
import type { Owners } from "./price-columns.tsx";
import { type Difference, differencesOf } from "./price-list.ts";
import classes from "./prices.module.css";

/** Maximum number of lines; no one reads more. */
const shownAtMost = 300;

type PriceDiffLine = {
  kind: "added" | "changed" | "removed";
  model: string;
  price: ListedPrice;
  fields: Difference[];
};

export function linesOf({ added, changed, removed }: PriceChanges): PriceDiffLine[] {
  const whole = (kind: PriceDiffLine["kind"]) => (price: ListedPrice) => ({
    kind,
    model: price.model,
    price,
    fields: [],
  });
  return [
    ...changed.map(({ before, after }) => ({
      kind: "changed" as const,
      model: after.model,
      price: after,
      fields: differencesOf(before, after),
    })),
    ...added.map(whole("added")),
    ...removed.map(whole("removed")),
  ];
}

const marks = { added: "+", changed: "~", removed: "−" } as const;

export function PriceDiff({ changes, owners }: { changes: PriceChanges; owners: Owners }) {
  const { t } = useTranslation("prices");
  const lines = linesOf(changes);
  const labels: Record<string, string> = {
    type: t("Billed"),
    input: t("Input"),
    output: t("Output"),
    channel_type: t("Owner"),
    tiers: t("Long context"),
  };
  const spoken = { added: t("New"), changed: t("Changed"), removed: t("Removed") };
  const show = ({ field }: Difference, value: string) =>
    field === "channel_type" ? (owners.get(Number(value))?.name ?? value) : value;
  return (
    <>
      <div className={classes.diff} tabIndex={0} role="region" aria-label={t("Differences")}>
        <table>
          <tbody>
            {lines.slice(0, shownAtMost).map((line) => (
              <tr key={`${line.kind}:${line.model}`} data-kind={line.kind}>
                <td>
                  <span title={spoken[line.kind]}>{marks[line.kind]}</span>
                </td>
                <td>
                  <Text ff="monospace" fz="sm">
                    {line.model}
                  </Text>
                </td>
                <td>
                  <div className={classes.fields}>
                    {line.fields.map((difference) => (
                      <span key={difference.field}>
                        {labels[difference.field] ?? t(nameOfKind(difference.field))}{" "}
                        <del>{show(difference, difference.before)}</del> →{" "}
                        <ins>{show(difference, difference.after)}</ins>
                      </span>
                    ))}
                    {line.fields.length === 0 ? (
                      <span>
                        ×{line.price.input}
                        {line.price.type === "times" ? ` ${t("per call")}` : ` / ×${line.price.output}`}
                      </span>
                    ) : null}
                  </div>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {lines.length > shownAtMost ? (
        <Text c="dimmed" fz="sm">
          {t("And {{count}} more", { count: lines.length - shownAtMost })}
        </Text>
      ) : null}
    </>
  );
}
