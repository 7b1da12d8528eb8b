import { ModelsHealth, StatusPage } from "@gateway/shared/models/model-health";
import { answers, type ConsoleApp, ok } from "#console/answer.ts";
import type { Services } from "#console/services.ts";
import type { ModelHealthCache } from "#domain/model-health/model-health.ts";
import { isListed, reachableModels, servedOf, statusOfModels } from "#domain/model-health/reachable.ts";
import { disabledModels } from "#domain/settings/model-lists.ts";
import { notFound } from "#errors.ts";
import { currentTime, unixTime } from "#platform/clock.ts";

/** Routes for the health of models, for anyone. They reveal neither channels nor numbers of calls. */
export function modelHealthRoutes(app: ConsoleApp, services: Services, cache: ModelHealthCache): void {
  const config = { access: "anyone" } as const;

  app.get(
    "/model_health",
    {
      config,
      schema: {
        summary: "Get availability and latency of models over 24 hours",
        response: answers(ModelsHealth),
      },
    },
    async (request) => {
      const [{ since, models }, reachable] = await Promise.all([
        cache.hours.read(),
        reachableModels(services, request.viewer?.group),
      ]);
      const disabled = disabledModels(services.settings);
      const shown = [...models].filter(
        ([model, { tallies }]) =>
          !disabled.has(model) &&
          servedOf(reachable, model) !== undefined &&
          isListed(reachable, model, tallies),
      );
      return ok({ since: unixTime(since), models: Object.fromEntries(shown) });
    },
  );

  app.get(
    "/model_status",
    { config, schema: { summary: "Get the data of the public status page", response: answers(StatusPage) } },
    async () => {
      if (!services.settings.current().StatusPageEnabled) throw notFound({ reason: "status_page_disabled" });
      const [hours, days] = await Promise.all([cache.hours.read(), cache.days.read()]);
      const disabled = disabledModels(services.settings);
      const models = await statusOfModels(services, hours, days);
      return ok({
        computed_at: unixTime(currentTime()),
        since: unixTime(hours.since),
        first_day: days.firstDay.toISOString().slice(0, 10),
        models: models.filter(({ model }) => !disabled.has(model)),
      });
    },
  );
}
