/** Disables a model everywhere and enables it again, with a message that offers to undo the former. */
import type { ModelSwitch } from "@gateway/shared/models/disabled-models";
import { Button, Group } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { switchModel } from "#lib/queries/disabled-models.ts";
import { toast } from "#ui/toast.tsx";

const MESSAGE = "model-switch";

export function useModelSwitch() {
  const { t } = useTranslation();
  const client = useQueryClient();
  const change = useMutation({
    mutationFn: (wanted: ModelSwitch) => switchModel(client, wanted),
    onSuccess: (_, { model, disabled }) => {
      toast.close(MESSAGE);
      if (!disabled) return toast.success(t("{{model}} is enabled again", { model }));
      const undo = () => change.mutate({ model, disabled: false });
      toast.offer(
        MESSAGE,
        <Group gap="sm">
          {t("{{model}} is disabled everywhere", { model })}
          <Button size="compact-xs" variant="light" onClick={undo}>
            {t("Undo")}
          </Button>
        </Group>,
      );
    },
  });
  return change;
}
