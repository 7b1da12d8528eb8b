import { ModelOwnerChange, ModelOwnerInput, ModelOwnerRow } from "@gateway/shared/channels/owner";
import { Nothing } from "@gateway/shared/envelope";
import { answers, type ConsoleApp, ok } from "#console/answer.ts";
import { viewerOf } from "#console/guards.ts";
import { IdParams } from "#console/paging.ts";
import type { Services } from "#console/services.ts";
import { changeOwner, createOwner, deleteOwner, getOwner } from "#domain/catalog/owners.ts";

/** Routes with which administrators edit the makers of models. The public list is in catalog.ts. */
export function ownerRoutes(app: ConsoleApp, { db }: Services): void {
  const config = { access: "admin", permission: "models" } as const;
  const row = answers(ModelOwnerRow);

  app.get(
    "/model_ownedby/:id",
    { config, schema: { summary: "Get a model owner", params: IdParams, response: row } },
    async (request) => ok(await getOwner(db, request.params.id)),
  );

  app.post(
    "/model_ownedby",
    { config, schema: { summary: "Create a model owner", body: ModelOwnerInput, response: row } },
    async (request) => ok(await createOwner(db, viewerOf(request), request.body)),
  );

  app.put(
    "/model_ownedby",
    { config, schema: { summary: "Change a model owner", body: ModelOwnerChange, response: row } },
    async (request) => ok(await changeOwner(db, viewerOf(request), request.body)),
  );

  app.delete(
    "/model_ownedby/:id",
    { config, schema: { summary: "Delete a model owner", params: IdParams, response: answers(Nothing) } },
    async (request) => {
      await deleteOwner(db, viewerOf(request), request.params.id);
      return ok(null);
    },
  );
}
