/** Models that are disabled on all channels, and the switch for one of them. */
import type { DisabledModels, ModelChannels, ModelSwitch } from "@gateway/shared/models/disabled-models";
import { queryOptions, type QueryClient } from "@tanstack/react-query";
import { asSent, http } from "#lib/http.ts";
import { allChannels } from "./channels.ts";
import { modelsHealthQuery, modelsQuery } from "./models.ts";

/** For administrators who may see channels. */
export const disabledModelsQuery = queryOptions({
  queryKey: ["disabled-models"],
  queryFn: () => http.get("/disabled_models", asSent<DisabledModels>()),
  staleTime: 30_000,
  // Without the list, a screen only lacks its note.
  meta: { quiet: true },
});

/** The enabled channels that serve a model. */
export const modelChannelsQuery = (model: string) =>
  queryOptions({
    queryKey: [...allChannels, "of-model", model],
    queryFn: () => http.get("/model_channels", asSent<ModelChannels>(), { model }),
    meta: { quiet: true },
  });

/** Disables a model on all channels, or enables it again, and refreshes the lists that show it. */
export async function switchModel(client: QueryClient, change: ModelSwitch): Promise<void> {
  const disabled = await http.put("/disabled_models", asSent<DisabledModels>(), change);
  client.setQueryData(disabledModelsQuery.queryKey, disabled);
  await Promise.all([
    client.invalidateQueries({ queryKey: modelsQuery.queryKey }),
    client.invalidateQueries({ queryKey: modelsHealthQuery.queryKey }),
  ]);
}
