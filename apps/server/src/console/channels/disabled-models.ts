import {
  DisabledModels,
  ModelChannels,
  ModelChannelsQuery,
  ModelSwitch,
} from "@gateway/shared/models/disabled-models";
import { answers, type ConsoleApp, ok } from "#console/answer.ts";
import { viewerOf } from "#console/guards.ts";
import type { Services } from "#console/services.ts";
import { channelsOfModel } from "#domain/channels/selection/model-channels.ts";
import { disabledModels, switchModel } from "#domain/settings/model-lists.ts";

const config = { access: "admin", permission: "channels" } as const;

/** Routes that disable a model on all channels, and enable it again. */
export function disabledModelRoutes(app: ConsoleApp, { settings, pool }: Services): void {
  const list = () => ok([...disabledModels(settings)].toSorted());

  app.get(
    "/disabled_models",
    {
      config,
      schema: { summary: "List the models that are disabled everywhere", response: answers(DisabledModels) },
    },
    async () => list(),
  );

  app.put(
    "/disabled_models",
    {
      config,
      schema: {
        summary: "Disable a model on all channels, or enable it again",
        body: ModelSwitch,
        response: answers(DisabledModels),
      },
    },
    async (request) => {
      await switchModel(settings, viewerOf(request), request.body);
      return list();
    },
  );

  app.get(
    "/model_channels",
    {
      config,
      schema: {
        summary: "Count the enabled channels that serve a model",
        querystring: ModelChannelsQuery,
        response: answers(ModelChannels),
      },
    },
    async (request) => ok(await channelsOfModel(pool, request.query.model)),
  );
}
