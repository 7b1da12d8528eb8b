import { Nothing } from "@gateway/shared/envelope";
import {
  ModelInfoChange,
  ModelInfoImport,
  ModelInfoImportResult,
  ModelInfoInput,
  ModelInfoRow,
} from "@gateway/shared/models/model-info";
import { z } from "zod";
import { answers, type ConsoleApp, ok } from "#console/answer.ts";
import { viewerOf } from "#console/guards.ts";
import { IdParams } from "#console/paging.ts";
import { present } from "#console/present.ts";
import type { Services } from "#console/services.ts";
import {
  changeModelInfo,
  createModelInfo,
  deleteModelInfo,
  getModelInfo,
  importModelInfo,
  listedModels,
  listModelInfo,
  readModelList,
} from "#domain/catalog/model-info.ts";
import { invalidRequest } from "#errors.ts";
import { fetchPublicText } from "#platform/http/public-fetch.ts";

/** Maximum size of a whole list, in bytes. */
const LIST_LIMIT = 5_000_000;

/** Routes for descriptions of models: anyone can read the list, administrators edit it. */
export function modelInfoRoutes(app: ConsoleApp, { db }: Services): void {
  const config = { access: "admin", permission: "models" } as const;
  const row = answers(ModelInfoRow);

  app.get(
    "/model_info",
    {
      config: { access: "anyone" },
      schema: { summary: "List model information", response: answers(z.array(ModelInfoRow)) },
    },
    async () => ok((await listModelInfo(db)).map(present)),
  );

  app.get(
    "/model_info/:id",
    { config, schema: { summary: "Get the information about a model", params: IdParams, response: row } },
    async (request) => ok(present(await getModelInfo(db, request.params.id))),
  );

  app.post(
    "/model_info",
    { config, schema: { summary: "Create information about a model", body: ModelInfoInput, response: row } },
    async (request) => ok(present(await createModelInfo(db, viewerOf(request), request.body))),
  );

  app.put(
    "/model_info",
    {
      config,
      schema: { summary: "Change the information about a model", body: ModelInfoChange, response: row },
    },
    async (request) => {
      const { id, ...input } = request.body;
      return ok(present(await changeModelInfo(db, viewerOf(request), id, () => input)));
    },
  );

  app.delete(
    "/model_info/:id",
    {
      config,
      schema: {
        summary: "Delete the information about a model",
        params: IdParams,
        response: answers(Nothing),
      },
    },
    async (request) => {
      await deleteModelInfo(db, viewerOf(request), request.params.id);
      return ok(null);
    },
  );

  app.post(
    "/model_info/import",
    {
      config,
      bodyLimit: LIST_LIMIT,
      schema: {
        summary: "Import model information",
        body: ModelInfoImport,
        response: answers(ModelInfoImportResult),
      },
    },
    async (request) => {
      const { url, models, mode } = request.body;
      const given = models ?? (url === "" ? undefined : parseList(await fetchPublicText(url)));
      const list = given === undefined ? listedModels() : readModelList(given);
      return ok(await importModelInfo(db, viewerOf(request), list, mode));
    },
  );
}

function parseList(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw invalidRequest({ reason: "model_list_not_answered" }, { param: "url" });
  }
}
