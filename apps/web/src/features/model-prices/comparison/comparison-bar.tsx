/** The selected models at the bottom of the window, with the button that shows them side by side. */
import { Button, Group, Paper, Text } from "@mantine/core";
import { IconColumns3 } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import { ModelIcon } from "#components/icons/provider-icon.tsx";
import type { Offer, TokenUnit } from "#features/model-prices/offers.ts";
import { useDrawerParam } from "#lib/address/drawer-param.ts";
import { lazyPart } from "#ui/lazy-part.tsx";
import { useIsPhone } from "#ui/use-is-phone.ts";
import type { Comparison } from "./use-comparison.ts";
import classes from "#features/model-prices/model-prices.module.css";

const ComparisonDialog = lazyPart(() =>
  import("./comparison-dialog.tsx").then((module) => module.ComparisonDialog),
);

type ComparisonBarProps = {
  comparison: Comparison;
  offers: readonly Offer[];
  unit: TokenUnit;
  group: string;
  groupRatio: number;
};

export function ComparisonBar({ comparison, offers, ...view }: ComparisonBarProps) {
  const { t } = useTranslation("model-prices");
  const phone = useIsPhone();
  const dialog = useDrawerParam("side");
  const compared = comparison.models.flatMap((name) => offers.find(({ model }) => model === name) ?? []);
  if (compared.length === 0) return null;
  return (
    <>
      <Paper
        component="section"
        withBorder
        p="sm"
        radius="lg"
        className={classes.comparison}
        aria-label={t("Models to compare")}
      >
        <Group justify="space-between" gap="sm">
          <Group gap="md">
            {compared.map(({ model }) => (
              <Group key={model} gap={6} wrap="nowrap">
                <ModelIcon model={model} size={16} />
                {phone ? null : (
                  <Text fz="sm" fw={500}>
                    {model}
                  </Text>
                )}
              </Group>
            ))}
          </Group>
          <Group gap="xs">
            <Button variant="default" size="xs" onClick={comparison.clear}>
              {t("Clear")}
            </Button>
            <Button
              size="xs"
              leftSection={<IconColumns3 size={15} />}
              disabled={compared.length < 2}
              onClick={() => dialog.open("1")}
            >
              {t("Compare {{count}} models", { count: compared.length })}
            </Button>
          </Group>
        </Group>
      </Paper>
      {dialog.key === "" ? null : <ComparisonDialog offers={compared} {...view} onClose={dialog.close} />}
    </>
  );
}
