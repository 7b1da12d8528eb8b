import { ModelOwnerRow } from "@gateway/shared/channels/owner";
import { AvailableModels } from "@gateway/shared/models/model";
import { z } from "zod";
import { answers, type ConsoleApp, ok } from "#console/answer.ts";
import type { Services } from "#console/services.ts";
import { availableModels } from "#domain/catalog/catalog.ts";
import { listOwners } from "#domain/catalog/owners.ts";
import type { ModelHealthCache } from "#domain/model-health/model-health.ts";
import { disabledModels } from "#domain/settings/model-lists.ts";

/** Routes for models and their makers, for anyone. */
export function catalogRoutes(app: ConsoleApp, { db, settings }: Services, cache: ModelHealthCache): void {
  const config = { access: "anyone" } as const;

  app.get(
    "/available_model",
    {
      config,
      schema: {
        summary: "List the models that you can call, with their prices",
        response: answers(AvailableModels),
      },
    },
    async (request) => {
      const models = await availableModels(db, await cache.ranks.read(), request.viewer?.group);
      for (const model of disabledModels(settings)) delete models[model];
      return ok(models);
    },
  );

  app.get(
    "/ownedby",
    {
      config,
      schema: {
        summary: "List the owners of models by id",
        response: answers(z.record(z.string(), ModelOwnerRow)),
      },
    },
    async () => ok(Object.fromEntries((await listOwners(db)).map((owner) => [owner.id, owner]))),
  );

  app.get(
    "/model_ownedby",
    { config, schema: { summary: "List the owners of models", response: answers(z.array(ModelOwnerRow)) } },
    async () => ok(await listOwners(db)),
  );
}
