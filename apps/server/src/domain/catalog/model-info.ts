/** Descriptions of models for users. They must not affect calls. */
import { issueOf } from "@gateway/shared/errors/issue";
import {
  ImportedModelInfo,
  type ImportMode,
  type ModelInfoImportResult,
  type ModelInfoInput,
} from "@gateway/shared/models/model-info";
import { z } from "zod";
import { type Actor, createAuditor, writeAudit } from "#domain/audit-log/audit.ts";
import { conflict, invalidRequest, notFound } from "#errors.ts";
import { currentTime } from "#platform/clock.ts";
import type { Db } from "#platform/database/db.ts";
import { isDuplicate } from "#platform/database/duplicate.ts";
import type { ModelInfo, PrismaClient } from "#platform/prisma/client.ts";
import modelList from "./model-list.json" with { type: "json" };

const auditModelInfo = createAuditor<ModelInfo>("model", ({ model }) => model);

/** Returns all descriptions, newest first. */
export async function listModelInfo(db: Db): Promise<ModelInfo[]> {
  return db.modelInfo.findMany({ orderBy: { id: "desc" } });
}

/** Returns a description. Throws `not_found`. */
export async function getModelInfo(db: Db, id: number): Promise<ModelInfo> {
  const info = await db.modelInfo.findUnique({ where: { id } });
  if (info === null) throw notFound({ reason: "model_info_not_found" });
  return info;
}

/** Creates a description. Throws `conflict` if the model already has one. */
export async function createModelInfo(
  db: PrismaClient,
  actor: Actor,
  input: ModelInfoInput,
): Promise<ModelInfo> {
  return db.$transaction(async (tx) => {
    // Of two concurrent requests with one name, the second inserts nothing.
    const [info] = await tx.modelInfo.createManyAndReturn({ data: [input], skipDuplicates: true });
    if (info === undefined) throw alreadyDescribed();
    await auditModelInfo(tx, actor, "model.create", undefined, info);
    return info;
  });
}

/**
 * Changes a description. Throws `not_found`, and `conflict` if another row has the name.
 * @param edit receives the current description and returns the new one
 */
export async function changeModelInfo(
  db: PrismaClient,
  actor: Actor,
  id: number,
  edit: (now: ModelInfo) => ModelInfoInput,
): Promise<ModelInfo> {
  try {
    return await db.$transaction(async (tx) => {
      await tx.$executeRaw`SELECT 1 FROM model_info WHERE id = ${id} FOR UPDATE`;
      const before = await getModelInfo(tx, id);
      const after = await tx.modelInfo.update({
        where: { id },
        data: { ...edit(before), updated_at: currentTime() },
      });
      await auditModelInfo(tx, actor, "model.change", before, after);
      return after;
    });
  } catch (error) {
    throw isDuplicate(error) ? alreadyDescribed() : error;
  }
}

/** Deletes a description. Throws `not_found`. */
export async function deleteModelInfo(db: PrismaClient, actor: Actor, id: number): Promise<void> {
  await db.$transaction(async (tx) => {
    const before = await getModelInfo(tx, id);
    await tx.modelInfo.delete({ where: { id } });
    await auditModelInfo(tx, actor, "model.delete", before, undefined);
  });
}

/** Imports a list, completely or not at all. */
export async function importModelInfo(
  db: PrismaClient,
  actor: Actor,
  list: readonly ModelInfoInput[],
  mode: ImportMode,
): Promise<ModelInfoImportResult> {
  return db.$transaction(async (tx) => {
    const known = new Set(
      (await tx.modelInfo.findMany({ select: { model: true } })).map((info) => info.model),
    );
    const added = list.filter((info) => !known.has(info.model));
    const there = list.filter((info) => known.has(info.model));
    await tx.modelInfo.createMany({ data: [...added], skipDuplicates: true });
    const changed = mode === "overwrite" ? there : [];
    for (const { model, ...info } of changed)
      await tx.modelInfo.update({ where: { model }, data: { ...info, updated_at: currentTime() } });
    const outcome = { added: added.length, changed: changed.length, kept: there.length - changed.length };
    await writeAudit(tx, {
      actor,
      action: "model.import",
      targetType: "model",
      targetId: "",
      after: { mode, ...outcome },
    });
    return outcome;
  });
}

const most = 5_000;

/**
 * Reads a list of models: an array, or an object with the array under `data`, as some price lists have it.
 * Throws `invalid_request` that names the first invalid entry.
 */
export function readModelList(json: unknown): ModelInfoInput[] {
  const Wrapped = z.object({ data: z.array(z.unknown()) });
  const wrapped = Wrapped.safeParse(json);
  const entries = wrapped.success ? wrapped.data.data : json;
  if (!Array.isArray(entries) || entries.length === 0)
    throw invalidRequest({ reason: "model_list_unreadable" }, { param: "models" });
  if (entries.length > most)
    throw invalidRequest({ reason: "model_list_too_long", most }, { param: "models" });
  const models = entries.map((entry: unknown, index) => {
    const parsed = ImportedModelInfo.safeParse(entry);
    if (parsed.success) return parsed.data;
    const [issue] = parsed.error.issues;
    if (issue === undefined) throw invalidRequest({ reason: "model_list_unreadable" }, { param: "models" });
    const field = ["models", index, ...issue.path].join(".");
    throw invalidRequest({ ...issueOf(issue, entry), field });
  });
  // Of two entries for one model, the last one wins.
  return [...new Map(models.map((info) => [info.model, info])).values()];
}

/**
 * Models of one provider in the bundled list. `page` is the page for users, if it differs from the source of
 * the data.
 */
interface BundledModels {
  source: string;
  page?: string;
  models: Omit<ModelInfoInput, "support_url">[];
}

/** Returns the list that is bundled with this version. */
export function listedModels(): ModelInfoInput[] {
  const providers: BundledModels[] = modelList.providers;
  return providers.flatMap(({ source, page = source, models }) =>
    models.map((info) => ({ ...info, support_url: page.startsWith("https://") ? [page] : [] })),
  );
}

/**
 * Adds the bundled descriptions to a new installation. If they were all deleted later, they are not added
 * again.
 */
export async function seedModelInfo(db: PrismaClient): Promise<void> {
  await db.$transaction(async (tx) => {
    const [untouched] = await tx.$queryRaw<{ is_called: boolean }[]>`SELECT is_called FROM model_info_id_seq`;
    if (untouched?.is_called === true) return;
    await tx.modelInfo.createMany({ data: listedModels(), skipDuplicates: true });
  });
}

function alreadyDescribed(): Error {
  return conflict({ reason: "model_described" }, { field: "model" });
}
