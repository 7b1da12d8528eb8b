/** Asks before a model is disabled on all channels. `?disable=gpt-5` opens it for that model. */
import { Alert, Autocomplete, Button, Modal, Skeleton, Stack, Text } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { IconAlertTriangle } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { errorReason } from "#lib/errors/error-text.ts";
import { modelChannelsQuery } from "#lib/queries/disabled-models.ts";
import { modelsQuery } from "#lib/queries/models.ts";
import { DialogButtons } from "#ui/form/dialog-buttons.tsx";
import { useModelSwitch } from "./use-model-switch.tsx";

/** Address value while no model is selected. */
export const ANY_MODEL = "model";

export function DisableModelDialog({ model, onClose }: { model: string; onClose: () => void }) {
  const { t } = useTranslation();
  const chooses = model === ANY_MODEL;
  const [typed, setTyped] = useState(chooses ? "" : model);
  const name = typed.trim();
  const [settled] = useDebouncedValue(name, 300);
  const modelNames = Object.keys(useQuery({ ...modelsQuery, enabled: chooses }).data ?? {});
  const channels = useQuery({
    ...modelChannelsQuery(settled),
    enabled: settled !== "" && !settled.includes("*"),
  });
  const change = useModelSwitch();
  return (
    <Modal
      opened
      onClose={onClose}
      centered
      // The list of names may be taller than the dialog.
      styles={{ content: { overflow: "visible" } }}
      title={chooses ? t("Disable a model everywhere") : t("Disable {{model}} everywhere?", { model })}
    >
      <Stack gap="md">
        {chooses ? (
          <Autocomplete
            label={t("Model")}
            data={modelNames}
            limit={50}
            maxLength={160}
            value={typed}
            data-autofocus
            comboboxProps={{ withinPortal: false }}
            onChange={setTyped}
          />
        ) : null}
        {name === "" ? null : channels.data && settled === name ? (
          <Text fw={600}>
            {channels.data.count === 0
              ? t(
                  "No enabled channel serves this model. Channels that you add later will not serve it either.",
                )
              : t("{{count}} enabled channels serve this model.", { count: channels.data.count })}
          </Text>
        ) : channels.error ? null : (
          <Skeleton height={22} aria-busy />
        )}
        <Text>
          {t(
            "Within one second, all nodes refuse calls to this model, and it is removed from the lists of models. Channels and prices do not change. You can enable it again at any time.",
          )}
        </Text>
        {(change.error ?? channels.error) ? (
          <Alert color="red" icon={<IconAlertTriangle size={17} />}>
            {errorReason(change.error ?? channels.error, t)}
          </Alert>
        ) : null}
        <DialogButtons>
          <Button variant="default" onClick={onClose}>
            {t("Cancel")}
          </Button>
          <Button
            color="red"
            disabled={name === "" || name.includes("*")}
            {...(chooses ? {} : { "data-autofocus": true })}
            loading={change.isPending}
            onClick={() => change.mutate({ model: name, disabled: true }, { onSuccess: onClose })}
          >
            {t("Disable everywhere")}
          </Button>
        </DialogButtons>
      </Stack>
    </Modal>
  );
}
