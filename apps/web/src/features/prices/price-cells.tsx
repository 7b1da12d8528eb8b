/** Cells of the price lists. */
import { formatPrice } from "@gateway/shared/billing/money";
import type { ListedPrice } from "@gateway/shared/billing/price";
import { Badge, Box, Group, Text, Tooltip } from "@mantine/core";
import { IconLock } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import { ModelIcon } from "#components/icons/provider-icon.tsx";
import { isTool, nameOfKind } from "#lib/labels/usage-kinds.ts";
import { useCnyPerUsd } from "#lib/site.ts";
import { CopyButton } from "#ui/copy.tsx";
import type { Scale } from "./rate-units.ts";
import classes from "./prices.module.css";

export function ModelCell({ price, owner }: { price: ListedPrice; owner: string }) {
  const { t } = useTranslation("prices");
  return (
    <Group gap={9} wrap="nowrap">
      <ModelIcon model={price.model} />
      <Box miw={0}>
        <Group gap={3} wrap="nowrap">
          <Text ff="monospace" fz="sm" fw={500} truncate title={price.model}>
            {price.model}
          </Text>
          {price.locked ? (
            <Tooltip label={t("Locked. Price lists do not change this price.")}>
              <IconLock size={14} role="img" tabIndex={0} aria-label={t("Locked")} />
            </Tooltip>
          ) : null}
          <CopyButton text={price.model} label={t("Model name")} size={22} />
        </Group>
        <Text c="dimmed" fz="xs">
          {owner}
        </Text>
      </Box>
    </Group>
  );
}

/** Dollars and yuan, and the ratio they are derived from. */
export function PriceCell({
  price,
  side,
  scale,
}: {
  price: ListedPrice;
  side: "input" | "output";
  scale: Scale;
}) {
  const { t } = useTranslation("prices");
  const cnyPerUsd = useCnyPerUsd();
  const perCall = price.type === "times";
  if (perCall && side === "output") return <Text c="dimmed">–</Text>;
  const ratio = price[side];
  const perMillion = scale === "M" && !perCall;
  const money = formatPrice(ratio, { perMillion, cnyPerUsd, freeWord: t("Free") });
  return (
    <Box component="span" display="inline-block" className={classes.money}>
      {money}
      <Text c="dimmed" fz="xs">
        ×{ratio}
        {perCall ? ` · ${t("per call")}` : ""}
      </Text>
    </Box>
  );
}

/** Kinds with a price of their own, and tiers of long contexts. */
export function ExtrasCell({ price }: { price: ListedPrice }) {
  const { t } = useTranslation("prices");
  const extras = Object.entries(price.extra_ratios);
  if (extras.length === 0 && price.tiers.length === 0)
    return (
      <Text span c="dimmed" fz="inherit">
        –
      </Text>
    );
  const text = (kind: string, value: number) =>
    `${t(nameOfKind(kind))} ${isTool(kind) ? `$${value}` : `×${Number(value.toPrecision(6))}`}`;
  const [shown, rest] = [extras.slice(0, 2), extras.slice(2)];
  return (
    <Group gap={4} className={classes.extras}>
      {shown.map(([kind, value]) => (
        <Badge key={kind} variant="default" fw={500}>
          {text(kind, value)}
        </Badge>
      ))}
      {rest.length > 0 ? (
        <Tooltip multiline maw={320} label={rest.map(([kind, value]) => text(kind, value)).join(" · ")}>
          <Badge variant="default" c="dimmed" tabIndex={0}>
            +{rest.length}
          </Badge>
        </Tooltip>
      ) : null}
      {price.tiers.length > 0 ? (
        <Tooltip
          multiline
          maw={320}
          label={price.tiers
            .map(({ above, input, output }) => `>${above}: ×${input} / ×${output}`)
            .join(" · ")}
        >
          <Badge tabIndex={0}>{t("Long context")}</Badge>
        </Tooltip>
      ) : null}
    </Group>
  );
}
