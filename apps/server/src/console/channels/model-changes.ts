import { Nothing } from "@gateway/shared/envelope";
import { ModelChangeIgnore, ModelChangePage, ModelChangeQuery } from "@gateway/shared/models/model-change";
import { answers, type ConsoleApp, ok } from "#console/answer.ts";
import { IdParams } from "#console/paging.ts";
import type { Services } from "#console/services.ts";
import { ignoreModelChanges, listModelChanges } from "#domain/model-changes/changes.ts";

const config = { access: "admin", permission: "channels" } as const;

/** Routes for models that providers added or removed. Batch edits of channels apply such a change. */
export function modelChangeRoutes(app: ConsoleApp, { db, pool }: Services): void {
  app.get(
    "/channel/model_changes",
    {
      config,
      schema: {
        summary: "List models that providers added or removed, by channel",
        querystring: ModelChangeQuery,
        response: answers(ModelChangePage),
      },
    },
    async (request) => ok(await listModelChanges(pool, request.query)),
  );

  app.put(
    "/channel/:id/model_changes",
    {
      config,
      schema: {
        summary: "Ignore model changes of a channel, or show them again",
        params: IdParams,
        body: ModelChangeIgnore,
        response: answers(Nothing),
      },
    },
    async (request) => {
      await ignoreModelChanges(db, request.params.id, request.body);
      return ok(null);
    },
  );
}
