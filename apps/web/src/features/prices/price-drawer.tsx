/** Creates or edits a price, for one model or for several with the same price. */
import { cnyOf, formatRate } from "@gateway/shared/billing/money";
import { type PriceGroupInput, PriceValues } from "@gateway/shared/billing/price";
import { Alert, SegmentedControl, Select, SimpleGrid, Switch, TagsInput, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useMemo, useState } from "react";
import { useTranslation } from "react-i18next";
import { OwnerIcon } from "#components/icons/owner-icon.tsx";
import { ownersQuery } from "#lib/queries/owners.ts";
import { modelNamesQuery } from "#lib/queries/prices.ts";
import { useCnyPerUsd } from "#lib/site.ts";
import { Fold } from "#ui/fold.tsx";
import { FormDrawer, FormSection } from "#ui/form/form-drawer.tsx";
import { useSchemaForm } from "#ui/form/form.ts";
import { toast } from "#ui/toast.tsx";
import { useSavePrices } from "./api.ts";
import { ExtrasField } from "./extras-field.tsx";
import {
  clearUnusedFields,
  type PriceFormTarget,
  toPriceFormValues,
  type PriceForm,
  PriceFormValues,
} from "./price-values.ts";
import { RateField } from "./rate-field.tsx";
import type { Currency, RateUnit, Scale } from "./rate-units.ts";
import { TiersField } from "./tiers-field.tsx";

export function PriceDrawer({ edited, onClose }: { edited: PriceFormTarget; onClose: () => void }) {
  const { t } = useTranslation("prices");
  const save = useSavePrices();
  const [currency, setCurrency] = useState<Currency>("usd");
  const [scale, setScale] = useState<Scale>("M");
  const before = edited.price ? edited.models : [];
  const form = useSchemaForm(PriceFormValues, toPriceFormValues(edited));
  const { type } = form.values;
  const perCall = type === "times";
  const cnyPerUsd = useCnyPerUsd();
  const unit = useMemo<RateUnit>(
    () => ({ currency, scale, perCall, cnyPerUsd }),
    [currency, scale, perCall, cnyPerUsd],
  );

  const submit = async (values: PriceFormValues) => {
    const { models, ...price } = PriceFormValues.parse(clearUnusedFields(values));
    const input: PriceGroupInput = { original_models: before, models, price: PriceValues.parse(price) };
    await save.mutateAsync(input);
    toast.success(t("Price saved"));
    onClose();
  };

  const title = edited.price
    ? edited.models.length > 1
      ? t("Price of {{count}} models", { count: edited.models.length })
      : t("Price of {{model}}", { model: edited.models[0] })
    : t("New price");

  return (
    <FormDrawer
      opened
      help="billing#set-prices"
      title={title}
      form={form}
      submitLabel={t("Save")}
      onSubmit={submit}
      onClose={onClose}
      width={620}
    >
      <ModelsSection form={form} />
      <RatesSection form={form} unit={unit} onCurrency={setCurrency} onScale={setScale} />

      <FormSection
        title={t("Extended pricing")}
        hint={t(
          "Prices of cache, audio, image and reasoning tokens are multiples of the prices above. Tools are priced in US dollars per call.",
        )}
      >
        <ExtrasField form={form} />
      </FormSection>

      {perCall ? null : (
        <Fold label={t("Long context")} opened={(form.values.tiers ?? []).length > 0}>
          <Text c="dimmed" fz="sm">
            {t("For providers that charge a different price above a certain input length.")}
          </Text>
          <TiersField form={form} unit={unit} />
        </Fold>
      )}

      <FormSection title={t("Lock")}>
        <Switch
          label={t("Keep this price when a price list is imported")}
          {...form.getInputProps("locked", { type: "checkbox" })}
        />
        {form.values.locked ? (
          <Alert color="amber" p="xs" fz="sm">
            {t("Price lists do not update a locked price. Unlock it to receive updates.")}
          </Alert>
        ) : null}
      </FormSection>
    </FormDrawer>
  );
}

/** The models, their owner and how calls are billed. */
function ModelsSection({ form }: { form: PriceForm }) {
  const { t } = useTranslation("prices");
  const owners = useQuery(ownersQuery).data ?? [];
  const names = useQuery(modelNamesQuery).data ?? [];
  const [typed, setTyped] = useState("");
  const [focused, setFocused] = useState(false);
  return (
    <FormSection
      title={t("Models")}
      hint={t(
        "One or more models with the same price. A name can end in *. If several names match, the longest one applies.",
      )}
    >
      <TagsInput
        label={t("Model name")}
        withAsterisk
        placeholder={form.values.models.length === 0 ? "gpt-4o, claude-*" : undefined}
        data={names}
        limit={50}
        searchValue={typed}
        onSearchChange={setTyped}
        // The complete list of models would cover the form.
        dropdownOpened={typed !== "" && focused}
        splitChars={[",", " ", "\n"]}
        acceptValueOnBlur
        clearable
        {...form.getInputProps("models")}
        onFocus={() => setFocused(true)}
        onBlur={() => setFocused(false)}
        error={modelsError(form.errors)}
      />
      <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="md">
        <Select
          label={t("Owner")}
          withAsterisk
          searchable
          placeholder={t("Owner")}
          data={owners.map(({ id, name }) => ({ value: String(id), label: name }))}
          value={form.values.channel_type > 0 ? String(form.values.channel_type) : null}
          onChange={(id) => form.setFieldValue("channel_type", Number(id ?? 0))}
          error={form.errors["channel_type"]}
          data-path="channel_type"
          leftSection={
            form.values.channel_type > 0 ? (
              <OwnerOf id={form.values.channel_type} owners={owners} />
            ) : undefined
          }
          renderOption={({ option }) => (
            <>
              <OwnerOf id={Number(option.value)} owners={owners} /> {option.label}
            </>
          )}
        />
        <Select
          label={t("Billed")}
          withAsterisk
          data={[
            { value: "tokens", label: t("by tokens") },
            { value: "times", label: t("per call") },
          ]}
          allowDeselect={false}
          {...form.getInputProps("type")}
          onChange={(next) => {
            form.setFieldValue("type", next === "times" ? "times" : "tokens");
            // A price per call has no output or tiers. Invalid values of
            // hidden fields must not prevent saving.
            if (next === "times") form.setValues({ output: 0, tiers: [] });
          }}
        />
      </SimpleGrid>
    </FormSection>
  );
}

type RatesSectionProps = {
  form: PriceForm;
  unit: RateUnit;
  onCurrency: (currency: Currency) => void;
  onScale: (scale: Scale) => void;
};

/** The prices of input and output, in the unit that the provider publishes. */
function RatesSection({ form, unit, onCurrency, onScale }: RatesSectionProps) {
  const { t } = useTranslation("prices");
  return (
    <FormSection
      title={t("Price")}
      hint={t("Enter the price that the provider publishes. The ratios are calculated from it.")}
    >
      <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="xs">
        <SegmentedControl
          aria-label={t("Price format")}
          data={[
            { value: "usd", label: "USD $" },
            { value: "rmb", label: "RMB ￥" },
            { value: "rate", label: t("Ratio") },
          ]}
          value={unit.currency}
          onChange={onCurrency}
        />
        {unit.perCall ? null : (
          <SegmentedControl
            aria-label={t("Unit")}
            data={[
              { value: "M", label: t("per 1M tokens") },
              { value: "K", label: t("per 1K tokens") },
            ]}
            value={unit.scale}
            onChange={onScale}
          />
        )}
      </SimpleGrid>
      <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="md">
        {(unit.perCall ? (["input"] as const) : (["input", "output"] as const)).map((side) => (
          <RateField
            key={side}
            label={unit.perCall ? t("Price of a call") : side === "input" ? t("Input") : t("Output")}
            path={side}
            unit={unit}
            value={form.values[side]}
            onChange={(ratio) => form.setFieldValue(side, ratio)}
            onBlur={() => void form.validateField(side)}
            error={form.errors[side]}
          />
        ))}
      </SimpleGrid>
      <Text c="dimmed" fz="xs">
        {t("A ratio of 1 is $0.002 or {{yuan}} per 1K tokens, or per call.", {
          yuan: `￥${formatRate(cnyOf(1, unit.cnyPerUsd))}`,
        })}
      </Text>
    </FormSection>
  );
}

type Owner = { id: number; name: string; icon: string };

function OwnerOf({ id, owners }: { id: number; owners: readonly Owner[] }) {
  const owner = owners.find((each) => each.id === id);
  return owner ? <OwnerIcon icon={owner.icon} name={owner.name} size={16} /> : null;
}

/** Returns the error of the models field: its own, or the first of its names. */
function modelsError(errors: Record<string, React.ReactNode>): React.ReactNode {
  return Object.entries(errors).find(([path]) => path === "models" || path.startsWith("models."))?.[1];
}
