import { NumberInput, Select, Stack, Textarea } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { ModelIcon } from "#ui/vendor-icon.tsx";
import type { ChatSettings } from "./chat-stream.ts";

export type PlaygroundSettings = ChatSettings & { system: string };

type SettingsPanelProps = {
  models: string[];
  value: PlaygroundSettings;
  onChange: (patch: Partial<PlaygroundSettings>) => void;
};

function numberOrNull(value: string | number): number | null {
  return typeof value === "number" ? value : null;
}

export function SettingsPanel({ models, value, onChange }: SettingsPanelProps) {
  const { t } = useTranslation();
  return (
    <Stack gap="md">
      <Select
        label={t("Model")}
        placeholder={t("Choose a model")}
        searchable
        data={models}
        value={value.model || null}
        onChange={(model) => onChange({ model: model ?? "" })}
        allowDeselect={false}
        leftSection={value.model ? <ModelIcon model={value.model} size={16} /> : null}
        nothingFoundMessage={t("Nothing found")}
        renderOption={({ option }) => (
          <span style={{ display: "inline-flex", gap: 8, alignItems: "center" }}>
            <ModelIcon model={option.value} size={16} />
            {option.label}
          </span>
        )}
      />
      <Textarea
        label={t("Instructions")}
        description={t("How the model should behave in this conversation.")}
        autosize
        minRows={3}
        maxRows={10}
        value={value.system}
        onChange={(event) => onChange({ system: event.currentTarget.value })}
      />
      <NumberInput
        label={t("Temperature")}
        description={t("Empty: the model's own. Higher is more varied.")}
        min={0}
        max={2}
        step={0.1}
        hideControls={false}
        value={value.temperature ?? ""}
        onChange={(next) => onChange({ temperature: numberOrNull(next) })}
      />
      <NumberInput
        label={t("Longest answer")}
        description={t("In tokens. Empty: the model's own limit.")}
        min={1}
        allowDecimal={false}
        value={value.maxTokens ?? ""}
        onChange={(next) => onChange({ maxTokens: numberOrNull(next) })}
      />
    </Stack>
  );
}
