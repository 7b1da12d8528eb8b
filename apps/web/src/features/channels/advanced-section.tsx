import type { ProviderInfo } from "@gateway/shared/provider";
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
import { JsonField } from "#ui/json-field.tsx";
import type { DraftForm } from "./channel-form.tsx";
import { PairsField } from "./pairs-field.tsx";
import { PluginFields } from "./plugin-fields.tsx";

const paths = new Set([
  "model_headers",
  "custom_parameter",
  "disabled_stream",
  "proxy",
  "test_model",
  "plugin",
]);

type AdvancedSectionProps = { form: DraftForm; provider: ProviderInfo | undefined };

export function AdvancedSection({ form, provider }: AdvancedSectionProps) {
  const { t } = useTranslation();
  const plain = form.values.models.filter((model) => !model.endsWith("*"));
  const hasError = Object.keys(form.errors).some((path) => paths.has(path.split(".")[0] ?? ""));
  return (
    <Fold label={t("Advanced")} opened={hasError}>
      <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="md">
        <Autocomplete
          label={t("Test model")}
          description={t("What a test asks for.")}
          placeholder={plain[0] || provider?.test_model}
          data={plain}
          limit={50}
          {...form.getInputProps("test_model")}
        />
        <TextInput
          label={t("Proxy")}
          description={t("http, https or socks5; calls of this channel go through it.")}
          placeholder="socks5://127.0.0.1:1080"
          {...form.getInputProps("proxy")}
        />
      </SimpleGrid>
      <Input.Wrapper
        label={t("Request headers")}
        description={t("Sent with every call of this channel.")}
        inputWrapperOrder={["label", "description", "input", "error"]}
        labelElement="div"
      >
        <PairsField
          form={form}
          field="model_headers"
          keyLabel={t("Header")}
          valueLabel={t("Value")}
          keyPlaceholder="x-team"
          valuePlaceholder="blue"
          addLabel={t("Add a header")}
        />
      </Input.Wrapper>
      <JsonField
        label={t("Extra parameters")}
        description={t(
          'JSON that fills in what a request leaves out. With "overwrite": true it wins; with "per_model": true it is given by model name.',
        )}
        placeholder={'{"temperature": 0.7}'}
        {...form.getInputProps("custom_parameter")}
        value={form.values.custom_parameter}
        onChange={(value) => form.setFieldValue("custom_parameter", value as Record<string, unknown> | null)}
      />
      <TagsInput
        label={t("Models without streaming")}
        description={t("Streamed calls for these models go to other channels.")}
        data={plain}
        splitChars={[",", "\n"]}
        onKeyDown={(event) => {
          // Enter adds a model; it must not send the form.
          if (event.key === "Enter" && !event.metaKey && !event.ctrlKey && event.currentTarget.value === "")
            event.preventDefault();
        }}
        {...form.getInputProps("disabled_stream")}
      />
      <Select
        label={t("Reservation before a call")}
        description={t("What is set aside from the caller's balance until the real price is known.")}
        allowDeselect={false}
        data={[
          { value: "1", label: t("Estimate everything") },
          { value: "2", label: t("Estimate without images") },
          { value: "3", label: t("Reserve nothing") },
        ]}
        {...form.getInputProps("pre_cost")}
        value={String(form.values.pre_cost)}
        onChange={(value) => form.setFieldValue("pre_cost", Number(value ?? 1))}
      />
      <Switch
        label={t("Chat only")}
        description={t("Calls with tools go to other channels.")}
        {...form.getInputProps("only_chat", { type: "checkbox" })}
      />
      <Switch
        label={t("Compatible responses")}
        description={t("Serve the Responses API through the vendor's chat endpoint.")}
        {...form.getInputProps("compatible_response", { type: "checkbox" })}
      />
      <Switch
        label={t("Pass unknown fields")}
        description={t("Fields of a request that the gateway does not know reach the vendor unchanged.")}
        {...form.getInputProps("allow_extra_body", { type: "checkbox" })}
      />
      {provider?.plugin ? (
        <>
          <Divider label={t("Vendor features")} labelPosition="left" />
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
