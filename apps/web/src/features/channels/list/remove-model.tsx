/**
 * Removes a model from all channels, with a preview of the
 * affected ones. `?remove=gpt-5` opens it for that model.
 */
import { Alert, Autocomplete, Button, Stack, Text } from "@mantine/core";
import { IconAlertTriangle } from "@tabler/icons-react";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { channelIdsQuery, refreshChannels } from "#features/channels/api.ts";
import { editMany } from "#features/channels/bulk/batch-api.ts";
import { BulkPreview } from "#features/channels/bulk/bulk-preview.tsx";
import { errorReason } from "#lib/errors/error-text.ts";
import { modelChannelsQuery } from "#lib/queries/disabled-models.ts";
import { modelsQuery } from "#lib/queries/models.ts";
import { Empty } from "#ui/empty.tsx";
import { DialogButtons } from "#ui/form/dialog-buttons.tsx";
import { SideDrawer } from "#ui/page/side-drawer.tsx";
import { toast } from "#ui/toast.tsx";
import { ANY_MODEL } from "./any-model.ts";

type RemoveModelProps = { model: string; onClose: () => void };

export function RemoveModel({ model, onClose }: RemoveModelProps) {
  const { t } = useTranslation("channels");
  const client = useQueryClient();
  const modelNames = Object.keys(useQuery(modelsQuery).data ?? {});
  const [typed, setTyped] = useState(model === ANY_MODEL ? "" : model);
  const name = typed.trim();
  const edit = { models: { mode: "remove" as const, values: [name] } };
  const change = async (ids: number[], preview: boolean) =>
    editMany({ kind: "ids", ids }, { edit, key: "", remove_missing: false, preview });
  const look = useMutation({
    mutationFn: async () => {
      const ids = await client.fetchQuery(channelIdsQuery({ model: name }));
      const answer = await change(ids, true);
      return { ids: answer.changed.map((one) => one.id), answer };
    },
    meta: { quiet: true },
  });
  const apply = useMutation({
    mutationFn: (ids: number[]) => change(ids, false),
    onSuccess: async (answer) => {
      await refreshChannels(client);
      toast.success(t("{{count}} channels changed", { count: answer.changed.length }));
      onClose();
    },
  });
  const seen = look.data;
  const serving = useQuery({ ...modelChannelsQuery(name), enabled: seen !== undefined }).data;
  return (
    <SideDrawer onClose={onClose} title={t("Remove a model from all channels")}>
      <Stack gap="lg">
        <Text c="dimmed" fz="sm">
          {t("Removes the model from every channel that lists it. Its price and its logs are kept.")}
        </Text>
        <Autocomplete
          label={t("Model")}
          data={modelNames}
          limit={50}
          value={typed}
          comboboxProps={{ withinPortal: false }}
          {...(model === ANY_MODEL ? { "data-autofocus": true } : {})}
          onChange={(value) => {
            setTyped(value);
            look.reset();
          }}
        />
        {look.error ? (
          <Alert color="red" icon={<IconAlertTriangle size={17} />}>
            {errorReason(look.error, t)}
          </Alert>
        ) : null}
        {seen === undefined ? null : seen.answer.changed.length + seen.answer.failed.length === 0 ? (
          <Empty compact title={t("No channel lists this model")} />
        ) : (
          <BulkPreview answer={seen.answer} />
        )}
        {seen !== undefined && serving !== undefined && serving.by_pattern_count > 0 ? (
          <Alert
            color="amber"
            icon={<IconAlertTriangle size={17} />}
            title={t("{{count}} channels still serve it through a wildcard", {
              count: serving.by_pattern_count,
            })}
          >
            {serving.by_pattern.map(({ id, name: channel, pattern }) => (
              <Text key={id} fz="sm" style={{ overflowWrap: "anywhere" }}>
                {channel}: {pattern}
              </Text>
            ))}
            <Text fz="sm" mt={6}>
              {t("These channels are not changed. To refuse all calls of the model, disable it everywhere.")}
            </Text>
          </Alert>
        ) : null}
        <DialogButtons>
          <Button variant="default" onClick={onClose}>
            {t("Cancel")}
          </Button>
          {seen !== undefined && seen.ids.length > 0 ? (
            <Button color="red" loading={apply.isPending} onClick={() => apply.mutate(seen.ids)}>
              {t("Remove from {{count}} channels", { count: seen.ids.length })}
            </Button>
          ) : (
            <Button
              disabled={name === ""}
              {...(model === ANY_MODEL ? {} : { "data-autofocus": true })}
              loading={look.isPending}
              onClick={() => look.mutate()}
            >
              {t("Preview")}
            </Button>
          )}
        </DialogButtons>
      </Stack>
    </SideDrawer>
  );
}
