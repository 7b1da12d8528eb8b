/** Models whose calls are rejected because they have no price, and prices without an owner. */
import type { PriceRow } from "@gateway/shared/billing/price";
import { Alert, Badge, Button, Group, Text } from "@mantine/core";
import { IconAlertTriangle } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { useTranslation } from "react-i18next";
import { useMayChange } from "#lib/changes.ts";
import { modelNamesQuery } from "#lib/queries/prices.ts";
import { modelsWithoutPrice } from "./price-list.ts";

type MissingPricesProps = { rows: readonly PriceRow[]; onPrice: (models: string[]) => void };

const shownAtMost = 12;

export function MissingPrices({ rows, onPrice }: MissingPricesProps) {
  const { t } = useTranslation("prices");
  const names = useQuery(modelNamesQuery).data;
  const missing = useMemo(() => modelsWithoutPrice(names ?? [], rows), [names, rows]);
  const orphans = rows.filter((row) => row.channel_type <= 0).map((row) => row.model);
  return (
    <>
      <Warning
        title={t("{{count}} models on your channels have no price", { count: missing.length })}
        hint={t("Calls are refused until a price is set.")}
        models={missing}
        action={t("Set a price")}
        onPrice={onPrice}
      />
      <Warning
        title={t("{{count}} prices have no owner", { count: orphans.length })}
        hint={t("These prices cannot be filtered by provider, and their models have no logo.")}
        models={orphans}
      />
    </>
  );
}

type WarningProps = {
  title: string;
  hint: string;
  models: string[];
  action?: string;
  onPrice?: (models: string[]) => void;
};

function Warning({ title, hint, models, action, onPrice }: WarningProps) {
  const mayChange = useMayChange();
  if (models.length === 0) return null;
  return (
    <Alert color="amber" icon={<IconAlertTriangle size={18} />} title={title}>
      <Text fz="sm" mb={8}>
        {hint}
      </Text>
      <Group gap={6}>
        {models.slice(0, shownAtMost).map((model) => (
          <Badge key={model} variant="default" ff="monospace" fw={500}>
            {model}
          </Badge>
        ))}
        {models.length > shownAtMost ? (
          <Badge variant="default" c="dimmed">
            +{models.length - shownAtMost}
          </Badge>
        ) : null}
        {onPrice && mayChange ? (
          <Button size="compact-sm" variant="default" onClick={() => onPrice(models)}>
            {action}
          </Button>
        ) : null}
      </Group>
    </Alert>
  );
}
