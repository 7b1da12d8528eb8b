/** Price edits by administrators: one price, several, or a whole list. Each edit writes an audit row. */
import type { PriceChanges, PriceGroupInput, PriceInput, SyncMode } from "@gateway/shared/billing/price";
import { type Actor, writeAudit } from "#domain/audit-log/audit.ts";
import { conflict, invalidRequest, notFound } from "#errors.ts";
import { announce } from "#platform/announcements.ts";
import type { Db } from "#platform/database/db.ts";
import { inTransaction } from "#platform/database/transaction.ts";
import type { Prisma } from "#platform/prisma/client.ts";
import { priceFromJson, priceRowToJson, priceToJson } from "./price-json.ts";
import { syncPrices } from "./price-sync.ts";
import { type PriceRow, type SavePrice, savePrice } from "./prices.ts";

export async function listPrices(db: Db): Promise<PriceRow[]> {
  return db.price.findMany({
    include: { extras: { orderBy: { kind: "asc" } } },
    orderBy: [{ channel_type: "asc" }, { model: "asc" }],
  });
}

/** Which ids of a model owner a price may have: those that exist, or any. 0 always means an unknown owner. */
type Owners = "existing" | "any";

/** Throws `conflict` when the model already has a price. */
export async function createPrice(
  db: Db,
  actor: Actor,
  input: PriceInput,
  owners: Owners = "existing",
): Promise<PriceRow> {
  return inTurn(db, async (tx) => {
    await mustHaveOwner(tx, input.channel_type, owners);
    await mustBeFree(tx, [input.model], "model");
    await savePrice(tx, priceFromJson(input), actor.id ?? undefined);
    const after = await findPriceRow(tx, input.model);
    await auditPrice(tx, actor, "price.create", input.model, undefined, after);
    return after;
  });
}

/**
 * Throws `not_found` or `conflict`.
 * @param model the current name
 * @param edit receives the current price and returns the new one, with the new name
 */
export async function changePrice(
  db: Db,
  actor: Actor,
  model: string,
  edit: (now: PriceRow) => PriceInput,
  owners: Owners = "existing",
): Promise<PriceRow> {
  return inTurn(db, async (tx) => {
    const before = await findPriceRow(tx, model);
    const input = edit(before);
    await mustHaveOwner(tx, input.channel_type, owners);
    if (input.model !== model) {
      await mustBeFree(tx, [input.model], "model");
      await tx.price.delete({ where: { model } });
    }
    await savePrice(tx, priceFromJson(input), actor.id ?? undefined);
    const after = await findPriceRow(tx, input.model);
    await auditPrice(tx, actor, "price.change", model, before, after);
    return after;
  });
}

/** Removes the prices that exist and returns their number. Throws `not_found` when none exists. */
export async function deletePrices(db: Db, actor: Actor, models: string[]): Promise<number> {
  return inTurn(db, async (tx) => {
    const before = await tx.price.findMany({ where: { model: { in: models } }, include: { extras: true } });
    if (before.length === 0) throw notFound({ reason: "price_not_found" });
    await tx.price.deleteMany({ where: { id: { in: before.map((row) => row.id) } } });
    for (const row of before) await auditPrice(tx, actor, "price.delete", row.model, row, undefined);
    await announce(tx, "prices");
    return before.length;
  });
}

/** Sets one price for several models: adds new names, changes existing ones, removes omitted ones. */
export async function savePriceGroup(
  db: Db,
  actor: Actor,
  group: PriceGroupInput,
  owners: Owners = "existing",
): Promise<void> {
  const models = new Set(group.models);
  if (models.size < group.models.length) throw namesRepeated("models");
  await inTurn(db, async (tx) => {
    await mustHaveOwner(tx, group.price.channel_type, owners);
    const original = new Set(group.original_models);
    await mustBeFree(
      tx,
      group.models.filter((model) => !original.has(model)),
      "models",
    );
    const dropped = group.original_models.filter((model) => !models.has(model));
    await tx.price.deleteMany({ where: { model: { in: dropped } } });
    for (const model of group.models) {
      await savePrice(tx, priceFromJson({ ...group.price, model }), actor.id ?? undefined);
    }
    await writeAudit(tx, {
      actor,
      action: "price.group",
      targetType: "price",
      targetId: group.models[0] ?? "",
      before: { models: group.original_models },
      after: { models: group.models, price: group.price },
    });
    await announce(tx, "prices");
  });
}

export async function takeOverPrices(
  db: Db,
  actor: Actor,
  list: SavePrice[],
  mode: SyncMode,
): Promise<PriceChanges> {
  return inTurn(db, async (tx) => {
    const changes = changesToJson(await syncPrices(tx, list, mode, actor.id ?? undefined));
    const { added, changed, removed, locked } = changes;
    const after = {
      mode,
      added: added.map((price) => price.model),
      changed,
      removed: removed.map((price) => price.model),
      locked,
    };
    await writeAudit(tx, { actor, action: "price.sync", targetType: "price", targetId: mode, after });
    return changes;
  });
}

export function changesToJson(changes: Awaited<ReturnType<typeof syncPrices>>): PriceChanges {
  return {
    added: changes.added.map(priceToJson),
    changed: changes.changed.map(({ before, after }) => ({
      before: priceToJson(before),
      after: priceToJson(after),
    })),
    removed: changes.removed.map(priceToJson),
    locked: changes.locked,
  };
}

/** Serializes edits, so that checks still hold at the time of the write. */
function inTurn<T>(db: Db, work: (tx: Prisma.TransactionClient) => Promise<T>): Promise<T> {
  return inTransaction(db, async (tx) => {
    await tx.$executeRaw`LOCK TABLE prices IN SHARE ROW EXCLUSIVE MODE`;
    return work(tx);
  });
}

async function findPriceRow(tx: Db, model: string): Promise<PriceRow> {
  const row = await tx.price.findUnique({ where: { model }, include: { extras: true } });
  if (row === null) throw notFound({ reason: "price_not_found" });
  return row;
}

/** Throws when the model owner does not exist. */
async function mustHaveOwner(tx: Db, id: number, owners: Owners): Promise<void> {
  if (id === 0 || owners === "any") return;
  if ((await tx.modelOwner.count({ where: { id } })) === 0) {
    throw invalidRequest({ reason: "channel_type_unknown" }, { field: "channel_type" });
  }
}

async function mustBeFree(tx: Db, models: string[], field: "model" | "models"): Promise<void> {
  if ((await tx.price.count({ where: { model: { in: models } } })) > 0) throw namesRepeated(field);
}

function namesRepeated(field: "model" | "models") {
  return conflict({ reason: "model_names_repeated" }, { field });
}

async function auditPrice(
  tx: Db,
  actor: Actor,
  action: string,
  model: string,
  before: PriceRow | undefined,
  after: PriceRow | undefined,
): Promise<void> {
  await writeAudit(tx, {
    actor,
    action,
    targetType: "price",
    targetId: model,
    before: before && priceRowToJson(before),
    after: after && priceRowToJson(after),
  });
}
