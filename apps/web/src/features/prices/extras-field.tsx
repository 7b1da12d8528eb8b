/** Prices besides plain input and output: multiples of those, and tool calls in dollars. */
import { ActionIcon, Button, Group, NumberInput, Select, Stack } from "@mantine/core";
import { IconPlus, IconTrash } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import { isTier, isTool, nameOfKind, usageKinds } from "#lib/labels/usage-kinds.ts";
import type { PriceForm } from "./price-values.ts";

export function ExtrasField({ form }: { form: PriceForm }) {
  const { t } = useTranslation("prices");
  const extras = form.values.extra_ratios ?? {};
  const kinds = Object.keys(extras);
  const perCall = form.values.type === "times";
  const free = usageKinds.filter((kind) => !(kind in extras) && (isTool(kind) || !perCall));
  const set = (next: Record<string, number>) => form.setFieldValue("extra_ratios", next);
  const rename = (from: string, to: string) =>
    set(
      Object.fromEntries(Object.entries(extras).map(([kind, value]) => [kind === from ? to : kind, value])),
    );
  return (
    <Stack gap="xs">
      {kinds.map((kind) => {
        const path = `extra_ratios.${kind}`;
        const value = extras[kind] ?? Number.NaN;
        return (
          <Group key={kind} gap="xs" wrap="nowrap" align="flex-start">
            <Select
              aria-label={t("Kind")}
              flex={1}
              data={[kind, ...free].map((each) => ({ value: each, label: t(nameOfKind(each)) }))}
              value={kind}
              allowDeselect={false}
              onChange={(next) => next && rename(kind, next)}
            />
            <NumberInput
              aria-label={isTool(kind) ? t("USD per call") : t("Multiplier")}
              data-path={path}
              w={130}
              min={0}
              step={0.01}
              decimalScale={isTier(kind) ? 4 : 10}
              leftSection={isTool(kind) ? "$" : "×"}
              rightSection={isTool(kind) ? undefined : null}
              value={Number.isNaN(value) ? "" : value}
              error={form.errors[path]}
              onChange={(next) => set({ ...extras, [kind]: typeof next === "number" ? next : Number.NaN })}
            />
            <ActionIcon
              size={34}
              aria-label={t("Remove {{name}}", { name: t(nameOfKind(kind)) })}
              onClick={() =>
                set(Object.fromEntries(Object.entries(extras).filter(([each]) => each !== kind)))
              }
            >
              <IconTrash size={16} />
            </ActionIcon>
          </Group>
        );
      })}
      {free[0] ? (
        <Button
          variant="default"
          size="xs"
          leftSection={<IconPlus size={14} />}
          style={{ alignSelf: "flex-start" }}
          onClick={() => set({ ...extras, [free[0] ?? ""]: isTool(free[0] ?? "") ? 0.01 : 1 })}
        >
          {t("Add extended price")}
        </Button>
      ) : null}
    </Stack>
  );
}
