/** Rarely changed parameters: the system prompt and the sampling. Empty values use the model's default. */
import { Button, Group, NumberInput, Stack, Text, Textarea } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { noParameters, type Parameters } from "./chat.ts";

type ParameterFieldsProps = { value: Parameters; onChange: (value: Parameters) => void };

export function ParameterFields({ value, onChange }: ParameterFieldsProps) {
  const { t } = useTranslation("playground");
  const number = (next: string | number) => (typeof next === "number" ? next : null);
  const unset = t("Model's default");
  return (
    <Stack gap="md">
      <Textarea
        label={t("System prompt")}
        description={t("Sent to the model before the conversation.")}
        placeholder={t("You are a patient teacher. Answer in short paragraphs.")}
        autosize
        minRows={4}
        maxRows={14}
        value={value.system}
        onChange={(event) => onChange({ ...value, system: event.currentTarget.value })}
      />
      <NumberInput
        label={t("Temperature")}
        description={t("0 to 2. Lower is more predictable, higher is more varied.")}
        placeholder={unset}
        min={0}
        max={2}
        step={0.1}
        decimalScale={2}
        value={value.temperature ?? ""}
        onChange={(next) => onChange({ ...value, temperature: number(next) })}
      />
      <NumberInput
        label={t("Top p")}
        description={t("0 to 1. Uses only the most likely tokens that add up to this probability.")}
        placeholder={unset}
        min={0}
        max={1}
        step={0.05}
        decimalScale={2}
        value={value.topP ?? ""}
        onChange={(next) => onChange({ ...value, topP: number(next) })}
      />
      <NumberInput
        label={t("Maximum output tokens")}
        description={t("The response is cut off at this limit.")}
        placeholder={unset}
        min={1}
        max={1_000_000}
        step={256}
        allowDecimal={false}
        thousandSeparator=","
        value={value.maxTokens ?? ""}
        onChange={(next) => onChange({ ...value, maxTokens: number(next) })}
      />
      <Group justify="space-between">
        <Text c="dimmed" fz="xs">
          {t("Saved with this chat.")}
        </Text>
        <Button variant="default" size="xs" onClick={() => onChange(noParameters)}>
          {t("Reset")}
        </Button>
      </Group>
    </Stack>
  );
}
