/** Fields of a provider's own features, generated from its JSON schema. */
import { NumberInput, Select, Switch, TextInput } from "@mantine/core";
import type { TFunction } from "i18next";
import { useTranslation } from "react-i18next";
import { z } from "zod";
import { providerWord } from "#features/channels/provider-labels.ts";
import { Fold } from "#ui/fold.tsx";
import { JsonField } from "#ui/json/json-field.tsx";
import type { DraftForm } from "./draft.ts";
import { errorWithin } from "./draft.ts";

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
  const { t } = useTranslation("channels");
  const features = Features.safeParse(schema);
  if (!features.success)
    return (
      <JsonField
        label={t("Provider features")}
        value={form.values.plugin}
        onChange={(value) => form.setFieldValue("plugin", value as DraftForm["values"]["plugin"])}
      />
    );
  const plugin = form.values.plugin ?? {};
  const set = (feature: string, name: string, value: unknown) => {
    const { [name]: _old, ...others } = plugin[feature] ?? {};
    const unset = value === "" || value === undefined || value === false;
    form.setFieldValue("plugin", { ...plugin, [feature]: unset ? others : { ...others, [name]: value } });
  };
  return Object.entries(features.data.properties).map(([id, feature]) => {
    const parameters = Object.entries(feature.properties);
    const title = providerWord(t, feature.title ?? id);
    const fields = parameters.map(([name, parameter]) => (
      <ParameterField
        key={name}
        label={parameters.length === 1 ? title : providerWord(t, parameter.title ?? name)}
        description={describe(t, parameter, parameters.length === 1)}
        parameter={parameter}
        value={plugin[id]?.[name]}
        path={`plugin.${id}.${name}`}
        error={errorWithin(form.errors, `plugin.${id}.${name}`)}
        onChange={(value) => {
          form.clearFieldError(`plugin.${id}.${name}`);
          set(id, name, value);
        }}
      />
    ));
    // A feature with one field needs no fieldset.
    return parameters.length === 1 ? (
      fields
    ) : (
      <Fold key={id} label={title} opened={anyInside(form, `plugin.${id}.`)}>
        {fields}
      </Fold>
    );
  });
}

/** Returns the description below a field, with its title when the feature's name replaces the label. */
function describe(t: TFunction<"channels">, parameter: Parameter, alone: boolean): string | undefined {
  const parts = alone ? [parameter.title, parameter.description] : [parameter.description];
  const labels = parts.filter((part) => part !== undefined).map((part) => providerWord(t, part));
  return labels.length > 0 ? labels.join(". ") : undefined;
}

function anyInside(form: DraftForm, path: string): boolean {
  return Object.keys(form.errors).some((wrong) => wrong.startsWith(path));
}

type ParameterFieldProps = {
  label: string;
  path: string;
  error: React.ReactNode;
  description: string | undefined;
  parameter: Parameter;
  value: unknown;
  onChange: (value: unknown) => void;
};

function ParameterField(props: ParameterFieldProps) {
  const { label, description, path, error, parameter, value, onChange } = props;
  const shown = { label, description, error, "data-path": path };
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
