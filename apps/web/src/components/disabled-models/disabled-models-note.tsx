/** The models that are disabled everywhere, for administrators of channels. Nothing without any. */
import { Alert, Button, Group, Text } from "@mantine/core";
import { IconBan } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { disabledModelsQuery } from "#lib/queries/disabled-models.ts";
import { useMayEnter } from "#lib/session.ts";
import { useModelSwitch } from "./use-model-switch.tsx";

const shownAtMost = 6;

/** @param only shows the note for this model, if it is disabled */
export function DisabledModelsNote({ only }: { only?: string }) {
  const { t } = useTranslation();
  const [isOpen, setOpen] = useState(false);
  const mayView = useMayEnter("channels");
  const mayEdit = useMayEnter("channels", "edit");
  const change = useModelSwitch();
  const disabled = useQuery({ ...disabledModelsQuery, enabled: mayView }).data ?? [];
  const models = only === undefined ? disabled : disabled.filter((model) => model === only);
  if (!mayView || models.length === 0) return null;
  const shown = isOpen ? models : models.slice(0, shownAtMost);
  return (
    <Alert color="amber" icon={<IconBan size={18} />} title={t("Disabled everywhere")} mb="md">
      <Text fz="sm" mb={8}>
        {t("Calls to these models are refused on all channels.")}
      </Text>
      <Group gap="xs">
        {shown.map((model) => (
          <Group key={model} gap={8} wrap="nowrap" maw="100%">
            <Text ff="monospace" fz="sm" fw={600} style={{ overflowWrap: "anywhere" }}>
              {model}
            </Text>
            {mayEdit ? (
              <Button
                size="compact-sm"
                variant="default"
                style={{ flexShrink: 0 }}
                aria-label={`${t("Enable again")} ${model}`}
                loading={change.isPending && change.variables.model === model}
                onClick={() => change.mutate({ model, disabled: false })}
              >
                {t("Enable again")}
              </Button>
            ) : null}
          </Group>
        ))}
        {models.length > shown.length ? (
          <Button size="compact-sm" variant="subtle" onClick={() => setOpen(true)}>
            {t("Show all {{count}}", { count: models.length })}
          </Button>
        ) : null}
      </Group>
    </Alert>
  );
}
