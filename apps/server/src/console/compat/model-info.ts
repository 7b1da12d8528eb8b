/**
 * Model descriptions in One Hub's format: lists are sent as JSON in a text, and accepted as a text or as a
 * list.
 */
import { ImportedModelInfo, ModelInfoRow } from "@gateway/shared/models/model-info";
import { z } from "zod";
import { viewerOf } from "#console/guards.ts";
import { RowId } from "#console/paging.ts";
import { present } from "#console/present.ts";
import { validate } from "#console/validation.ts";
import { changeModelInfo, createModelInfo } from "#domain/catalog/model-info.ts";
import { type CompatRoute, handleWith, formatWith } from "./plugin/route.ts";

const text = z.string();
const OlderInfo = z.looseObject({
  id: z.int(),
  model: text,
  input_modalities: text,
  output_modalities: text,
  tags: text,
  support_url: text,
});

function encodeModelInfo(info: ModelInfoRow): z.input<typeof OlderInfo> {
  return {
    ...info,
    input_modalities: JSON.stringify(info.input_modalities),
    output_modalities: JSON.stringify(info.output_modalities),
    tags: JSON.stringify(info.tags),
    support_url: JSON.stringify(info.support_url),
  };
}

const create = handleWith(
  { body: ImportedModelInfo, data: OlderInfo },
  async ({ body }, { request, services }) => {
    const info = await createModelInfo(services.db, viewerOf(request), body);
    return { data: encodeModelInfo(ModelInfoRow.parse(present(info))) };
  },
);

const Named = z.looseObject({ id: RowId });

const change = handleWith({ body: Named, data: OlderInfo }, async ({ body }, { request, services }) => {
  // Fields that are not mentioned stay.
  const info = await changeModelInfo(services.db, viewerOf(request), body.id, (now) =>
    validate(ImportedModelInfo, { ...now, ...body }),
  );
  return { data: encodeModelInfo(ModelInfoRow.parse(present(info))) };
});

export const modelInfoCompat: Record<string, CompatRoute> = {
  "GET /model_info": {
    answer: formatWith(z.array(ModelInfoRow), z.array(OlderInfo), (rows) => rows.map(encodeModelInfo)),
  },
  "GET /model_info/:id": { answer: formatWith(ModelInfoRow, OlderInfo, encodeModelInfo) },
  "POST /model_info": { handle: create },
  "PUT /model_info": { handle: change },
};
