import type { ProviderInfo } from "@gateway/shared/channels/provider";
import { ModelPattern } from "@gateway/shared/models/model-name";
import { Button, Group, Pill, TagsInput, Text } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { IconCloudDownload, IconCopy, IconEraser, IconPlus } from "@tabler/icons-react";
import { useMemo } from "react";
import { useTranslation } from "react-i18next";
import { ModelIcon } from "#components/icons/provider-icon.tsx";
import { copyText } from "#ui/copy.tsx";
import { FormSection } from "#ui/form/form-drawer.tsx";
import { problemIn } from "#ui/form/problem.ts";
import type { DraftForm } from "./draft.ts";
import { ProviderModelPicker } from "./provider-model-picker.tsx";
import { UnpricedModels } from "./unpriced-models.tsx";
import classes from "#features/channels/channels.module.css";

type ModelsSectionProps = {
  form: DraftForm;
  provider: ProviderInfo | undefined;
  id: number | undefined;
};

const separators = [",", "，", "\n", "\r", "\t", ";", " "];
const isFine = (model: string) => ModelPattern.safeParse(model).success;

export function ModelsSection({ form, provider, id }: ModelsSectionProps) {
  const { t } = useTranslation("channels");
  const [picking, picker] = useDisclosure(false);
  const { models } = form.values;
  const write = (next: string[]) => {
    form.setErrors(
      Object.fromEntries(Object.entries(form.errors).filter(([path]) => path.split(".")[0] !== "models")),
    );
    const trimmed = next.map((model) => model.trim()).filter((model) => model !== "");
    form.setFieldValue("models", [...new Set(trimmed)]);
  };
  const take = (next: string[], mapping: Record<string, string>) => {
    write(next);
    const otherPairs = (form.values.model_mapping ?? []).filter((pair) => !Object.hasOwn(mapping, pair.key));
    const newPairs = Object.entries(mapping).map(([key, value]) => ({ key, value }));
    if (newPairs.length > 0) form.setFieldValue("model_mapping", [...otherPairs, ...newPairs]);
  };
  const mapping = useMemo(
    () => Object.fromEntries((form.values.model_mapping ?? []).map((pair) => [pair.key, pair.value])),
    [form.values.model_mapping],
  );
  const wrong = models.find((model) => !isFine(model));
  const error = wrong ? `${wrong}: ${problemIn(t, ModelPattern, wrong) ?? ""}` : form.errors["models"];
  const defaults = (provider?.models ?? []).filter((model) => !models.includes(model));

  return (
    <FormSection
      title={t("Models")}
      hint={t("Models that this channel serves. Use * at the end to match any ending, for example gpt-4o*.")}
    >
      <div>
        <TagsInput
          aria-label={t("Models")}
          placeholder={
            models.length === 0 ? t("Type or paste names, separated by commas or line breaks") : undefined
          }
          {...form.getInputProps("models")}
          value={models}
          onChange={write}
          error={error}
          data={defaults}
          splitChars={separators}
          isDuplicate={(model, known) => known.includes(model)}
          classNames={{ input: classes.modelsInput }}
          renderPill={({ value, onRemove }) => (
            <Pill
              withRemoveButton
              onRemove={onRemove}
              className={classes.modelPill}
              data-wrong={!isFine(value ?? "") || undefined}
              removeButtonProps={{ "aria-label": t("Remove {{model}}", { model: value }) }}
            >
              <ModelIcon model={value ?? ""} size={13} />
              {value}
            </Pill>
          )}
          onKeyDown={(event) => {
            // Enter adds a model; it must not submit the form.
            if (event.key === "Enter" && !event.metaKey && !event.ctrlKey && event.currentTarget.value === "")
              event.preventDefault();
          }}
        />
        <Group gap={6} mt={8}>
          <Button
            variant="light"
            size="compact-sm"
            leftSection={<IconCloudDownload size={15} />}
            onClick={picker.open}
          >
            {t("Fetch from provider")}
          </Button>
          {defaults.length > 0 ? (
            <Button
              variant="default"
              size="compact-sm"
              leftSection={<IconPlus size={14} />}
              onClick={() => write([...models, ...defaults])}
            >
              {t("Add {{count}} common models", { count: defaults.length })}
            </Button>
          ) : null}
          {models.length > 0 ? (
            <>
              <Button
                variant="subtle"
                color="gray"
                size="compact-sm"
                leftSection={<IconCopy size={14} />}
                onClick={() => void copyText(models.join(","), t("Models"))}
              >
                {t("Copy all")}
              </Button>
              <Button
                variant="subtle"
                color="gray"
                size="compact-sm"
                leftSection={<IconEraser size={14} />}
                onClick={() => write([])}
              >
                {t("Remove all")}
              </Button>
              <Text c="dimmed" fz="xs" ml="auto">
                {t("{{count}} models", { count: models.length })}
              </Text>
            </>
          ) : null}
        </Group>
        <UnpricedModels models={models} mapping={mapping} />
      </div>
      {picking ? (
        <ProviderModelPicker draft={form.values} id={id} onClose={picker.close} onChoose={take} />
      ) : null}
    </FormSection>
  );
}
