import type { ProviderInfo } from "@gateway/shared/channels/provider";
import {
  Autocomplete,
  Divider,
  Input,
  Select,
  SimpleGrid,
  Switch,
  TagsInput,
  TextInput,
} from "@mantine/core";
import { useTranslation } from "react-i18next";
import { Fold } from "#ui/fold.tsx";
import type { DraftForm } from "./draft.ts";
import { hasErrorIn } from "./draft.ts";
import { PluginFields } from "./plugin-fields.tsx";

const fields = ["disabled_stream", "proxy", "test_model", "pre_cost", "plugin"];

type AdvancedSectionProps = { form: DraftForm; provider: ProviderInfo | undefined };

export function AdvancedSection({ form, provider }: AdvancedSectionProps) {
  const { t } = useTranslation("channels");
  const plain = form.values.models.filter((model) => !model.endsWith("*"));
  return (
    <Fold label={t("Advanced")} opened={hasErrorIn(form.errors, fields)}>
      <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="md">
        <Autocomplete
          label={t("Test model")}
          description={t("The model used to test this channel.")}
          placeholder={usualTestModel(form.values.models, provider)}
          data={plain}
          limit={50}
          {...form.getInputProps("test_model")}
        />
        <TextInput
          label={t("Proxy")}
          description={t("Calls of this channel go through this proxy. Supported: http, https and socks5.")}
          placeholder="socks5://127.0.0.1:1080"
          {...form.getInputProps("proxy")}
        />
      </SimpleGrid>
      <TagsInput
        label={t("Models without streaming")}
        description={t("Streamed calls for these models go to other channels.")}
        data={plain}
        splitChars={[",", "\n"]}
        onKeyDown={(event) => {
          // Enter adds a model; it must not submit the form.
          if (event.key === "Enter" && !event.metaKey && !event.ctrlKey && event.currentTarget.value === "")
            event.preventDefault();
        }}
        {...form.getInputProps("disabled_stream")}
      />
      <Select
        label={t("Reservation before a call")}
        description={t("The amount of the balance that is reserved until the final cost is known.")}
        allowDeselect={false}
        data={[
          { value: "1", label: t("Full estimate") },
          { value: "2", label: t("Estimate without images") },
          { value: "3", label: t("No reservation") },
        ]}
        {...form.getInputProps("pre_cost")}
        value={String(form.values.pre_cost)}
        onChange={(value) => form.setFieldValue("pre_cost", Number(value ?? 1))}
      />
      <Switch
        label={t("Without tools")}
        description={t("Calls with tools go to other channels.")}
        {...form.getInputProps("only_chat", { type: "checkbox" })}
      />
      <Switch
        label={t("Convert the Responses API")}
        description={t("Sends calls of the Responses API to the provider's chat endpoint.")}
        {...form.getInputProps("compatible_response", { type: "checkbox" })}
      />
      {provider?.plugin ? (
        <>
          <Divider label={t("Provider features")} labelPosition="left" />
          <PluginFields form={form} schema={provider.plugin} />
          {form.errors["plugin"] ? (
            <Input.Error data-path="plugin" tabIndex={-1}>
              {form.errors["plugin"]}
            </Input.Error>
          ) : null}
        </>
      ) : null}
    </Fold>
  );
}

/**
 * Returns the model that the server tests by default: the
 * provider's test model if the channel offers it, else the first.
 */
function usualTestModel(models: string[], provider: ProviderInfo | undefined): string | undefined {
  const usual = provider?.test_model ?? "";
  const offered = models.some((model) =>
    model.endsWith("*") ? usual.startsWith(model.slice(0, -1)) : model === usual,
  );
  if (usual !== "" && offered) return usual;
  return models.find((model) => !model.endsWith("*")) ?? (usual || undefined);
}
