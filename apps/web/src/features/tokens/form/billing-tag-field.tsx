import { TextInput } from "@mantine/core";
import { useTranslation } from "react-i18next";
import type { TokenSchemaForm } from "./form-schema.ts";

export function BillingTagField({ form }: { form: TokenSchemaForm }) {
  const { t } = useTranslation("tokens");
  return (
    <TextInput
      label={t("Billing tag")}
      description={t("For example a project or a cost center. It is recorded in the log of every call.")}
      autoComplete="off"
      maxLength={50}
      {...form.getInputProps("billing_tag")}
    />
  );
}
