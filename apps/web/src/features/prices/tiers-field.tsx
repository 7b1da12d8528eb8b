/** Ratios that apply from a number of input tokens on. */
import { ActionIcon, Box, Button, Group, NumberInput, Stack } from "@mantine/core";
import { IconPlus, IconTrash } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import type { PriceForm } from "./price-values.ts";
import { RateField } from "./rate-field.tsx";
import type { RateUnit } from "./rate-units.ts";
import classes from "./prices.module.css";

export function TiersField({ form, unit }: { form: PriceForm; unit: RateUnit }) {
  const { t } = useTranslation("prices");
  const tiers = form.values.tiers ?? [];
  return (
    <Stack gap="sm">
      {tiers.map((tier, index) => (
        <Group key={index} gap="xs" wrap="nowrap" align="flex-start" className={classes.tier}>
          <Box className={classes.tierFields}>
            <NumberInput
              label={t("Input tokens above")}
              min={1}
              allowDecimal={false}
              thousandSeparator=" "
              {...form.getInputProps(`tiers.${index}.above`)}
            />
            {(["input", "output"] as const).map((side) => (
              <RateField
                key={side}
                compact
                label={side === "input" ? t("Input") : t("Output")}
                path={`tiers.${index}.${side}`}
                unit={unit}
                value={tier[side]}
                onChange={(ratio) => form.setFieldValue(`tiers.${index}.${side}`, ratio)}
                error={form.errors[`tiers.${index}.${side}`]}
              />
            ))}
          </Box>
          <ActionIcon
            size={34}
            mt={24}
            aria-label={t("Remove this tier")}
            onClick={() => form.removeListItem("tiers", index)}
          >
            <IconTrash size={16} />
          </ActionIcon>
        </Group>
      ))}
      <Button
        variant="default"
        size="xs"
        leftSection={<IconPlus size={14} />}
        style={{ alignSelf: "flex-start" }}
        onClick={() =>
          form.insertListItem("tiers", {
            above: (tiers.at(-1)?.above ?? 100_000) * 2,
            input: form.values.input,
            output: form.values.output,
          })
        }
      >
        {t("Add tier")}
      </Button>
    </Stack>
  );
}
