/** A vendor's own features, drawn from the JSON schema it describes them with. */
import { Fieldset, NumberInput, Select, Stack, Switch, TextInput } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { z } from "zod";
import { JsonField } from "#ui/json-field.tsx";
import type { DraftForm } from "./channel-form.tsx";

const Parameter = z.object({
  type: z.string().optional(),
  title: z.string().optional(),
  description: z.string().optional(),
  enum: z.array(z.string()).optional(),
});
type Parameter = z.infer<typeof Parameter>;
const Feature = z.object({
  title: z.string().optional(),
  description: z.string().optional(),
  properties: z.record(z.string(), Parameter).default({}),
});
const Features = z.object({ properties: z.record(z.string(), Feature).default({}) });

export function PluginFields({ form, schema }: { form: DraftForm; schema: Record<string, unknown> }) {
  const { t } = useTranslation();
  const features = Features.safeParse(schema);
  if (!features.success)
    return (
      <JsonField
        label={t("Vendor features")}
        value={form.values.plugin}
        error={form.errors["plugin"]}
        onChange={(value) => form.setFieldValue("plugin", value as DraftForm["values"]["plugin"])}
      />
    );
  const plugin = form.values.plugin ?? {};
  const set = (feature: string, name: string, value: unknown) => {
    const { [name]: _old, ...others } = plugin[feature] ?? {};
    const unset = value === "" || value === undefined || value === false;
    form.setFieldValue("plugin", { ...plugin, [feature]: unset ? others : { ...others, [name]: value } });
  };
  return Object.entries(features.data.properties).map(([id, feature]) => (
    <Fieldset key={id} legend={feature.title ?? id}>
      <Stack gap="sm">
        {Object.entries(feature.properties).map(([name, parameter]) => (
          <ParameterField
            key={name}
            name={name}
            parameter={parameter}
            value={plugin[id]?.[name]}
            onChange={(value) => set(id, name, value)}
          />
        ))}
      </Stack>
    </Fieldset>
  ));
}

type ParameterFieldProps = {
  name: string;
  parameter: Parameter;
  value: unknown;
  onChange: (value: unknown) => void;
};

function ParameterField({ name, parameter, value, onChange }: ParameterFieldProps) {
  const shown = { label: parameter.title ?? name, description: parameter.description };
  if (parameter.enum)
    return (
      <Select
        {...shown}
        clearable
        data={parameter.enum}
        value={typeof value === "string" ? value : null}
        onChange={(next) => onChange(next ?? undefined)}
      />
    );
  switch (parameter.type) {
    case "boolean":
      return (
        <Switch
          {...shown}
          checked={value === true}
          onChange={(event) => onChange(event.currentTarget.checked)}
        />
      );
    case "number":
    case "integer":
      return (
        <NumberInput
          {...shown}
          allowDecimal={parameter.type === "number"}
          value={typeof value === "number" ? value : ""}
          onChange={(next) => onChange(typeof next === "number" ? next : undefined)}
        />
      );
    case "string":
      return (
        <TextInput
          {...shown}
          value={typeof value === "string" ? value : ""}
          onChange={(event) => onChange(event.currentTarget.value)}
        />
      );
    default:
      return <JsonField {...shown} value={value} onChange={onChange} />;
  }
}
