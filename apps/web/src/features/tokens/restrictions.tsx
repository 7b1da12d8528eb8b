import type { AvailableModels } from "@gateway/shared/model";
import { Box, Collapse, Group, NumberInput, Switch, TagsInput, Textarea } from "@mantine/core";
import { type ReactNode, useState } from "react";
import { useTranslation } from "react-i18next";
import { ModelIcon } from "#ui/vendor-icon.tsx";
import { addressesPath, modelsPath } from "./form-schema.ts";
import type { TokenSchemaForm } from "./token-form.tsx";
import classes from "./tokens.module.css";

type Props = { form: TokenSchemaForm; models: AvailableModels; reachable: string[] };

export function Restrictions({ form, models, reachable }: Props) {
  const { t } = useTranslation();
  const { heartbeat } = form.values.setting;
  const { checked: keeping, ...keepInput } = form.getInputProps("setting.log_bodies", { type: "checkbox" });
  return (
    <>
      <Restriction
        form={form}
        path="setting.limits.limit_model_setting.enabled"
        label={t("Only certain models")}
        hint={t("Every other model is refused.")}
      >
        <ModelsField form={form} models={models} reachable={reachable} />
      </Restriction>
      <Restriction
        form={form}
        path="setting.limits.limits_ip_setting.enabled"
        label={t("Only certain addresses")}
        hint={t("Calls from elsewhere are refused.")}
      >
        <AddressesField form={form} />
      </Restriction>
      <Restriction
        form={form}
        path="setting.heartbeat.enabled"
        label={t("Keep quiet streams open")}
        hint={t("Sends a sign of life while the model thinks, for proxies that cut silent connections.")}
      >
        <NumberInput
          label={t("Seconds of silence before a sign of life")}
          suffix={` ${t("seconds")}`}
          min={30}
          max={90}
          clampBehavior="none"
          allowDecimal={false}
          w={260}
          disabled={!heartbeat.enabled}
          {...form.getInputProps("setting.heartbeat.timeout_seconds")}
        />
      </Restriction>
      <div className={classes.restriction}>
        <Switch
          label={t("Keep requests and answers")}
          description={t(
            "Encrypted and for some days only. You and the administrators can read them in the log.",
          )}
          checked={keeping}
          {...keepInput}
        />
      </div>
    </>
  );
}

type RestrictionProps = {
  form: TokenSchemaForm;
  path: string;
  label: string;
  hint: string;
  children: ReactNode;
};

/** A switch that unfolds what it switches. */
function Restriction({ form, path, label, hint, children }: RestrictionProps) {
  const { checked, ...input } = form.getInputProps(path, { type: "checkbox" });
  return (
    <div className={classes.restriction}>
      <Switch label={label} description={hint} checked={checked} {...input} />
      <Collapse expanded={Boolean(checked)} transitionDuration={160}>
        <Box pt="sm">{children}</Box>
      </Collapse>
    </div>
  );
}

function ModelsField({ form, models, reachable }: Props) {
  const { t } = useTranslation();
  const byOwner = Map.groupBy(reachable, (name) => models[name]?.owned_by ?? "");
  // Models of nobody in particular come last.
  const owners = [...byOwner.keys()].sort(
    (a, b) => Number(a === "") - Number(b === "") || a.localeCompare(b),
  );
  return (
    <TagsInput
      aria-label={t("Models")}
      placeholder={t("Choose, or type a name")}
      description={t("A * at the end stands for every name that begins so, like gpt-*")}
      data={owners.map((owner) => ({ group: owner || t("Others"), items: byOwner.get(owner) ?? [] }))}
      renderOption={({ option }) => (
        <Group gap={8} wrap="nowrap">
          <ModelIcon model={option.value} size={16} />
          {option.value}
        </Group>
      )}
      maxDropdownHeight={260}
      acceptValueOnBlur
      clearable
      splitChars={[",", " ", "\n"]}
      {...form.getInputProps(modelsPath)}
    />
  );
}

function AddressesField({ form }: { form: TokenSchemaForm }) {
  const { t } = useTranslation();
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
        error={nothing ?? lineErrors.length > 0}
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
