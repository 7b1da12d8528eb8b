import type { AvailableModels } from "@gateway/shared/models/model";
import { Group, TagsInput, Textarea } from "@mantine/core";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { ModelIcon } from "#components/icons/provider-icon.tsx";
import { addressesPath, modelsPath } from "./form-schema.ts";
import type { TokenSchemaForm } from "./form-schema.ts";
import { SwitchedField } from "./switched-field.tsx";
import classes from "#features/tokens/tokens.module.css";

type RestrictionsProps = { form: TokenSchemaForm; models: AvailableModels; reachable: string[] };

export function Restrictions({ form, models, reachable }: RestrictionsProps) {
  const { t } = useTranslation("tokens");
  return (
    <>
      <SwitchedField
        form={form}
        path="setting.limits.limit_model_setting.enabled"
        label={t("Only certain models")}
        hint={t("Calls to other models are refused.")}
      >
        <ModelsField form={form} models={models} reachable={reachable} />
      </SwitchedField>
      <SwitchedField
        form={form}
        path="setting.limits.limits_ip_setting.enabled"
        label={t("Only certain IP addresses")}
        hint={t("Calls from other addresses are refused.")}
      >
        <AddressesField form={form} />
      </SwitchedField>
    </>
  );
}

function ModelsField({ form, models, reachable }: RestrictionsProps) {
  const { t } = useTranslation("tokens");
  const byOwner = Map.groupBy(reachable, (name) => models[name]?.owned_by ?? "");
  // Models without an owner come last.
  const owners = [...byOwner.keys()].sort(
    (a, b) => Number(a === "") - Number(b === "") || a.localeCompare(b),
  );
  return (
    <TagsInput
      aria-label={t("Models")}
      placeholder={t("Select or enter a name")}
      description={t("Use * at the end to match any ending, for example gpt-*")}
      data={owners.map((owner) => ({ group: owner || t("Others"), items: byOwner.get(owner) ?? [] }))}
      renderOption={({ option }) => (
        <Group gap={8} wrap="nowrap">
          <ModelIcon model={option.value} size={16} />
          {option.value}
        </Group>
      )}
      acceptValueOnBlur
      clearable
      splitChars={[",", " ", "\n"]}
      {...form.getInputProps(modelsPath)}
    />
  );
}

function AddressesField({ form }: { form: TokenSchemaForm }) {
  const { t } = useTranslation("tokens");
  const { whitelist } = form.values.setting.limits.limits_ip_setting;
  const [text, setText] = useState(() => whitelist.join("\n"));
  const lineErrors = Object.entries(form.errors).filter(([path]) => path.startsWith(`${addressesPath}.`));
  const nothing = form.errors[addressesPath];
  const { onBlur, onFocus } = form.getInputProps(addressesPath) as {
    onBlur?: () => void;
    onFocus?: () => void;
  };
  return (
    <>
      <Textarea
        aria-label={t("Addresses")}
        description={t("One address or range per line")}
        placeholder={"203.0.113.7\n10.0.0.0/8"}
        autosize
        minRows={3}
        maxRows={8}
        spellCheck={false}
        styles={{ input: { fontFamily: "var(--mantine-font-family-monospace)", fontSize: 12.5 } }}
        value={text}
        onFocus={onFocus}
        onBlur={onBlur}
        // A blur shows the first line's error here, until the errors of all lines are listed.
        error={lineErrors.length > 0 ? true : nothing}
        onChange={(event) => {
          setText(event.currentTarget.value);
          const lines = event.currentTarget.value.split("\n").map((line) => line.trim());
          for (const [path] of lineErrors) form.clearFieldError(path);
          form.setFieldValue(
            addressesPath,
            lines.filter((line) => line !== ""),
          );
        }}
      />
      {lineErrors.length > 0 ? (
        <ul className={classes.badLines}>
          {lineErrors.map(([path, message]) => (
            <li key={path}>
              <b>{whitelist[Number(path.split(".").at(-1))]}</b> · {message}
            </li>
          ))}
        </ul>
      ) : null}
    </>
  );
}
