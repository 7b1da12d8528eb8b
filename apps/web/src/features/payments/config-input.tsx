/** One setting of a gateway's account; the input depends on its kind. */
import { PasswordInput, Select, Textarea, TextInput } from "@mantine/core";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import type { ConfigField } from "./gateway-labels.ts";

type ConfigInputProps = {
  field: ConfigField;
  required: boolean;
  /** A value is stored; an empty input keeps it. */
  secretSet: boolean;
  /** Value of the form. */
  value?: string;
  error?: ReactNode;
  onChange?: (value: unknown) => void;
};

const mono = { input: { fontFamily: "var(--mantine-font-family-monospace)" } };

export function ConfigInput({ field, required, secretSet, ...input }: ConfigInputProps) {
  const { t } = useTranslation("payments");
  const common = {
    label: t(field.label),
    description: field.hint ? t(field.hint) : undefined,
    withAsterisk: required,
    autoComplete: "off",
    spellCheck: false,
    placeholder: secretSet ? t("Stored. Type to replace it.") : undefined,
    ...input,
  };
  switch (field.kind) {
    case "text":
      return <TextInput maxLength={200} {...common} />;
    case "secret":
      return (
        <PasswordInput
          maxLength={200}
          {...common}
          autoComplete="new-password"
          visibilityToggleButtonProps={{ "aria-label": t("Show password") }}
        />
      );
    case "key":
    case "secret-key":
      return <Textarea rows={3} maxLength={8_000} styles={mono} {...common} />;
    case "choice":
      return (
        <Select
          allowDeselect={false}
          {...common}
          withAsterisk={false}
          data={(field.choices ?? []).map(({ value, label }) => ({ value, label: t(label) }))}
        />
      );
  }
}
