/** Creates or edits the description of a model. */
import { modalities, ModelInfoInput, type ModelInfoRow } from "@gateway/shared/models/model-info";
import {
  Autocomplete,
  MultiSelect,
  NumberInput,
  SimpleGrid,
  TagsInput,
  Textarea,
  TextInput,
} from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { nameOfModality } from "#lib/labels/modalities.ts";
import { modelNamesQuery } from "#lib/queries/prices.ts";
import { FormDrawer, FormSection } from "#ui/form/form-drawer.tsx";
import { useSchemaForm } from "#ui/form/form.ts";
import { toast } from "#ui/toast.tsx";
import { useSaveModelInfo } from "./api.ts";

type ModelInfoDrawerProps = {
  /** Undefined for a new description. */
  info: ModelInfoRow | undefined;
  /** Models with a description. */
  taken: string[];
  onClose: () => void;
};

export function ModelInfoDrawer({ info, taken, onClose }: ModelInfoDrawerProps) {
  const { t } = useTranslation("model-info");
  const save = useSaveModelInfo();
  const names = useQuery(modelNamesQuery).data ?? [];
  const free = names.filter((name) => !taken.includes(name) && !name.endsWith("*"));
  const form = useSchemaForm(ModelInfoInput, {
    model: info?.model ?? "",
    name: info?.name ?? "",
    description: info?.description ?? "",
    context_length: info?.context_length ?? 128_000,
    max_tokens: info?.max_tokens ?? 0,
    input_modalities: info?.input_modalities ?? ["text"],
    output_modalities: info?.output_modalities ?? ["text"],
    tags: info?.tags ?? [],
    support_url: info?.support_url ?? [],
  });
  /** All modalities, and those of other names that an import brought. */
  const choices = (stored: readonly string[] = []) =>
    [...new Set([...modalities, ...stored])].map((value) => ({ value, label: t(nameOfModality(value)) }));
  return (
    <FormDrawer
      opened
      help="providers#describe-models"
      title={info ? t("Edit “{{name}}”", { name: info.model }) : t("Add description")}
      form={form}
      submitLabel={t("Save")}
      onSubmit={async (values) => {
        const input = ModelInfoInput.parse(values);
        await save.mutateAsync(info ? { ...input, id: info.id } : input);
        toast.success(t("Saved"));
        onClose();
      }}
      onClose={onClose}
      width={560}
    >
      <FormSection title={t("General")}>
        <Autocomplete
          label={t("Model")}
          description={t("The name that clients send.")}
          withAsterisk
          maxLength={160}
          data={free}
          // It has the focus when the form opens.
          openOnFocus={false}
          limit={50}
          {...form.getInputProps("model")}
        />
        <TextInput
          label={t("Name")}
          description={t("The display name, for example GPT-4o.")}
          maxLength={160}
          {...form.getInputProps("name")}
        />
        <Textarea
          label={t("Description")}
          autosize
          minRows={2}
          maxRows={8}
          maxLength={4_000}
          {...form.getInputProps("description")}
        />
      </FormSection>
      <FormSection
        title={t("Capabilities")}
        hint={t("Context and maximum output are in tokens. 0 = unknown.")}
      >
        <SimpleGrid cols={{ base: 1, xs: 2 }}>
          <NumberInput
            label={t("Context")}
            min={0}
            allowDecimal={false}
            thousandSeparator
            {...form.getInputProps("context_length")}
          />
          <NumberInput
            label={t("Maximum output")}
            min={0}
            allowDecimal={false}
            thousandSeparator
            {...form.getInputProps("max_tokens")}
          />
        </SimpleGrid>
        <MultiSelect
          label={t("Input")}
          data={choices(info?.input_modalities)}
          searchable
          hidePickedOptions
          {...form.getInputProps("input_modalities")}
        />
        <MultiSelect
          label={t("Output")}
          data={choices(info?.output_modalities)}
          searchable
          hidePickedOptions
          {...form.getInputProps("output_modalities")}
        />
        <TagsInput
          label={t("Tags")}
          description={t("Tags for filtering. Press Enter after each tag.")}
          {...form.getInputProps("tags")}
        />
        <TagsInput
          label={t("Links")}
          description={t("Link to the provider's documentation.")}
          {...form.getInputProps("support_url")}
        />
      </FormSection>
    </FormDrawer>
  );
}
