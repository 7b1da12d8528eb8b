import { Button, Code, Group, Text } from "@mantine/core";
import { Trans, useTranslation } from "react-i18next";
import { joinList } from "#lib/format/join-list.ts";
import { FormSection } from "#ui/form/form-drawer.tsx";
import type { DraftForm } from "./draft.ts";
import { unofferedMappings } from "./draft.ts";
import { PairsField } from "./pairs-field.tsx";

export function MappingSection({ form }: { form: DraftForm }) {
  const { t } = useTranslation("channels");
  const missing = unofferedMappings(form.values);
  return (
    <FormSection
      title={t("Model mapping")}
      hint={
        <Trans
          t={t}
          i18nKey="Sends a different model name to the provider than the one requested. The price of the forwarded model applies. With <code>+</code> before its name, the price of the requested model applies."
          components={{ code: <Code /> }}
        />
      }
    >
      <PairsField
        form={form}
        field="model_mapping"
        keyLabel={t("Requested model")}
        valueLabel={t("Forwarded model")}
        keyPlaceholder="gpt-4o"
        valuePlaceholder="+gpt-4o-2024-11-20"
        addLabel={t("Add mapping")}
        completions={form.values.models}
      />
      {missing.length > 0 ? (
        <Group gap="xs">
          <Text fz="sm" c="amber">
            {t("Requested models that this channel does not list: {{models}}", {
              models: joinList(missing),
            })}
          </Text>
          <Button
            variant="light"
            size="compact-sm"
            onClick={() => form.setFieldValue("models", [...form.values.models, ...missing])}
          >
            {t("Add to models")}
          </Button>
        </Group>
      ) : null}
    </FormSection>
  );
}
