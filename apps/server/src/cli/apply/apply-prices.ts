import { PriceInput } from "@gateway/shared/billing/price";
import { issueOf } from "@gateway/shared/errors/issue";
import { changePrice, createPrice, deletePrices, listPrices } from "#domain/pricing/edit-prices.ts";
import { priceFromJson, priceToJson, savedPrice } from "#domain/pricing/price-json.ts";
import { type ApplyContext, changedNames, collectFaults, fieldChanges } from "./changes.ts";
import type { GatewayFile, PriceEntry } from "./gateway-file.ts";
import { sentence } from "./read-gateway-file.ts";

/** Writes the prices of the file. They are identified by model. */
export async function applyPrices(context: ApplyContext, prices: GatewayFile["prices"]): Promise<void> {
  const entries = Object.entries(prices ?? {});
  if (entries.length === 0) return;
  const owners = await context.tx.modelOwner.findMany();
  const rows = new Map(
    (await listPrices(context.tx)).map((row) => [row.model, priceToJson(savedPrice(row))]),
  );
  for (const [model, entry] of entries)
    await collectFaults(context, ["prices", model], async () => {
      const { channel_type } = entry;
      const owner =
        typeof channel_type === "string"
          ? (owners.find(({ name }) => name.toLowerCase() === channel_type.toLowerCase())?.id ?? 0)
          : channel_type;
      if (owner === 0)
        context.faults.push({
          path: ["prices", model, "channel_type"],
          text: `prices.${model}.channel_type: No model owner has this name.`,
        });
      else await applyPrice(context, model, entry, { before: rows.get(model), owner });
    });
}

export async function prunePrices(context: ApplyContext, prices: GatewayFile["prices"]): Promise<void> {
  const rows = await context.tx.price.findMany({ select: { model: true }, orderBy: { model: "asc" } });
  const models = rows.map(({ model }) => model).filter((model) => !Object.hasOwn(prices ?? {}, model));
  if (models.length === 0) return;
  await deletePrices(context.tx, context.actor, models);
  for (const name of models) context.changes.push({ kind: "price", name, action: "delete", fields: [] });
}

async function applyPrice(
  context: ApplyContext,
  model: string,
  { channel_type: _owner, ...given }: PriceEntry,
  { before, owner }: { before: ReturnType<typeof priceToJson> | undefined; owner: number | undefined },
): Promise<void> {
  const { tx, actor, changes } = context;
  const path = ["prices", model];
  const wanted = { ...before, ...given, ...(owner === undefined ? {} : { channel_type: owner }), model };
  const parsed = PriceInput.safeParse(wanted);
  if (!parsed.success) {
    for (const issue of parsed.error.issues) {
      const place = [...path, ...issue.path.map(String)];
      context.faults.push({ path: place, text: sentence(place, issueOf(issue, wanted)) });
    }
    return;
  }
  const after = normalizePrice(parsed.data);
  const names = changedNames(before === undefined ? {} : normalizePrice(before), after);
  if (names.length === 0) return;
  if (before === undefined) await createPrice(tx, actor, after);
  else await changePrice(tx, actor, model, () => after);
  const fields = fieldChanges(
    context,
    path,
    names.filter((name) => name !== "model"),
    before === undefined ? { after } : { before, after },
  );
  changes.push({ kind: "price", name: model, action: before === undefined ? "create" : "change", fields });
}

/** Rounds like the price list does, so that equal prices compare as equal. */
function normalizePrice(price: PriceInput): ReturnType<typeof priceToJson> {
  const rounded = priceToJson(priceFromJson(price));
  return { ...rounded, tiers: rounded.tiers.toSorted((a, b) => a.above - b.above) };
}
