import type { TokenRates, TokenRow } from "@gateway/shared/accounts/token";
import { NumberInput, SimpleGrid } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { PointsInput } from "#components/points-input.tsx";
import { useFormat } from "#lib/format/quota.ts";
import type { TokenSchemaForm } from "./form-schema.ts";

type RateFieldsProps = { form: TokenSchemaForm; token: TokenRow | undefined };

/** Rate and spending limits of the key. An empty field is no limit, stored as 0. */
export function RateFields({ form, token }: RateFieldsProps) {
  const { t } = useTranslation("tokens");
  const format = useFormat();
  return (
    <>
      <SimpleGrid cols={{ base: 1, sm: 3 }} spacing="md">
        <CountField form={form} name="requests_per_minute" label={t("Requests per minute")} />
        <CountField form={form} name="tokens_per_minute" label={t("Tokens per minute")} />
        <CountField form={form} name="concurrency" label={t("Concurrent requests")} />
      </SimpleGrid>
      <SimpleGrid cols={{ base: 1, sm: 3 }} spacing="md">
        <SpendField
          form={form}
          name="daily_spend"
          label={t("Daily spend (USD)")}
          hint={token ? t("{{amount}} used today", { amount: format.quota(token.day_quota) }) : undefined}
        />
        <SpendField
          form={form}
          name="monthly_spend"
          label={t("Monthly spend (USD)")}
          hint={
            token ? t("{{amount}} used this month", { amount: format.quota(token.month_quota) }) : undefined
          }
        />
        <SpendField
          form={form}
          name="session_spend"
          label={t("Session spend (USD)")}
          hint={t("For each session of a coding agent, including sub-agents")}
        />
      </SimpleGrid>
    </>
  );
}

type TokenRateFieldProps = {
  form: TokenSchemaForm;
  name: keyof TokenRates;
  label: string;
  hint?: string | undefined;
};

const pathOf = (name: keyof TokenRates) => `setting.rates.${name}`;

function CountField({ form, name, label }: TokenRateFieldProps) {
  const { t } = useTranslation("tokens");
  const path = pathOf(name);
  const value = form.values.setting.rates[name];
  return (
    <NumberInput
      label={label}
      placeholder={t("No limit")}
      min={0}
      allowDecimal={false}
      allowNegative={false}
      thousandSeparator=","
      value={value === 0 ? "" : value}
      error={form.errors[path]}
      onChange={(next) => form.setFieldValue(path, typeof next === "number" ? next : 0)}
    />
  );
}

function SpendField({ form, name, label, hint }: TokenRateFieldProps) {
  const { t } = useTranslation("tokens");
  const path = pathOf(name);
  return (
    <PointsInput
      label={label}
      description={hint}
      placeholder={t("No limit")}
      value={form.values.setting.rates[name]}
      error={form.errors[path]}
      onChange={(points) => form.setFieldValue(path, points)}
    />
  );
}
