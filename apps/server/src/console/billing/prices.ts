import {
  PriceChanges,
  PriceGroupInput,
  PriceInput,
  PricePreview,
  PriceRow,
  PriceSource,
  PriceUpdate,
  SyncMode,
} from "@gateway/shared/billing/price";
import { Envelope, Nothing } from "@gateway/shared/envelope";
import { z } from "zod";
import { answers, type ConsoleApp, ok } from "#console/answer.ts";
import { viewerOf } from "#console/guards.ts";
import type { Services } from "#console/services.ts";
import { modelNames } from "#domain/catalog/catalog.ts";
import {
  changePrice,
  changesToJson,
  createPrice,
  deletePrices,
  listPrices,
  savePriceGroup,
  takeOverPrices,
} from "#domain/pricing/edit-prices.ts";
import { priceRowToJson, priceToJson } from "#domain/pricing/price-json.ts";
import { previewPrices, readPriceList } from "#domain/pricing/price-sync.ts";
import { fetchPriceList, listPriceUpdates } from "#domain/pricing/price-updates.ts";
import type { SavePrice } from "#domain/pricing/prices.ts";
import { listedPrices } from "#domain/pricing/seed-prices.ts";
import { invalidRequest } from "#errors.ts";

/** Maximum size of a whole price list, in bytes. */
const LIST_LIMIT = 10_000_000;

const ModelNames = z.object({ models: z.array(z.string().max(160)).min(1).max(20_000) });
const ModelInPath = z.object({ "*": z.string().min(1, "Model name is required").max(160) });
/** Tools for the older API send "system" for add. Any unknown value also means add. */
const SyncQuery = z.object({ updateMode: SyncMode.catch("add").default("add") });

/**
 * db: the current prices · default: the list of this version · old: the current prices in the older API's
 * format.
 */
const PriceListQuery = z.object({ type: z.enum(["db", "default", "old"]).catch("db").default("db") });
/** A listed price is not a row: it has no version and was never changed. */
const unstored = { version_id: 0, updated_time: 0 };
const OldPrice = PriceRow.omit({ version_id: true, updated_time: true, tiers: true });
const oldPrice = ({ version_id: _version, updated_time: _time, tiers: _tiers, ...price }: PriceRow) => price;

const config = { access: "admin", permission: "prices" } as const;

/** Routes for model prices: anyone can read the list, administrators edit it. */
export function priceRoutes(app: ConsoleApp, services: Services): void {
  const { db } = services;
  const row = answers(PriceRow);

  app.get(
    "/prices",
    {
      config: { access: "anyone" },
      // "old" has no envelope, as its callers expect.
      schema: {
        summary: "List prices",
        querystring: PriceListQuery,
        response: {
          ...answers(z.array(PriceRow)),
          200: z.union([Envelope(z.array(PriceRow)), z.array(OldPrice)]),
        },
      },
    },
    async (request) => {
      const { type } = request.query;
      if (type === "default")
        return ok(listedPrices().map((price) => ({ ...priceToJson(price), ...unstored })));
      const rows = (await listPrices(db)).map(priceRowToJson);
      return type === "old" ? rows.map(oldPrice) : ok(rows);
    },
  );

  app.get(
    "/prices/model_list",
    {
      config,
      schema: { summary: "List the models that channels offer", response: answers(z.array(z.string())) },
    },
    async () => ok(await modelNames(db)),
  );

  app.post(
    "/prices/single",
    { config, schema: { summary: "Create a price", body: PriceInput, response: row } },
    async (request) => ok(priceRowToJson(await createPrice(db, viewerOf(request), request.body))),
  );

  app.put(
    "/prices/single/*",
    {
      config,
      schema: {
        summary: "Change the price of a model",
        params: ModelInPath,
        body: PriceInput,
        response: row,
      },
    },
    async (request) => {
      const { "*": model } = request.params;
      return ok(priceRowToJson(await changePrice(db, viewerOf(request), model, () => request.body)));
    },
  );

  app.delete(
    "/prices/single/*",
    {
      config,
      schema: { summary: "Delete the price of a model", params: ModelInPath, response: answers(Nothing) },
    },
    async (request) => {
      await deletePrices(db, viewerOf(request), [request.params["*"]]);
      return ok(null);
    },
  );

  priceGroupRoutes(app, services);
  syncRoutes(app, services);
}

/** Routes for the prices of several models at once. */
function priceGroupRoutes(app: ConsoleApp, { db }: Services): void {
  app.post(
    "/prices/multiple",
    {
      config,
      schema: {
        summary: "Create or change the prices of several models",
        body: PriceGroupInput,
        response: answers(Nothing),
      },
    },
    async (request) => {
      await savePriceGroup(db, viewerOf(request), request.body);
      return ok(null);
    },
  );

  app.put(
    "/prices/multiple/delete",
    {
      config,
      schema: {
        summary: "Delete the prices of several models",
        body: ModelNames,
        response: answers(z.object({ deleted: z.int() })),
      },
    },
    async (request) => ok({ deleted: await deletePrices(db, viewerOf(request), request.body.models) }),
  );
}

function syncRoutes(app: ConsoleApp, { db, settings }: Services): void {
  app.get(
    "/prices/updateService",
    {
      config,
      schema: { summary: "Get the price list that comes with the product", response: answers(z.string()) },
    },
    async () => ok(settings.current().UpdatePriceService),
  );

  app.get(
    "/prices/updates",
    {
      config,
      schema: {
        summary: "List the price changes that an update would make",
        response: answers(z.array(PriceUpdate)),
      },
    },
    async () => ok(await listPriceUpdates(db, 20)),
  );

  app.post(
    "/prices/preview",
    {
      config,
      schema: {
        summary: "Preview a price list against the current prices",
        body: PriceSource,
        response: answers(PricePreview),
      },
    },
    async (request) => {
      const { url } = request.body;
      const list = await fetchPriceList(url);
      const changes = await previewPrices(db, list, "overwrite");
      return ok({ prices: list.map(priceToJson), changes: changesToJson(changes) });
    },
  );

  app.post(
    "/prices/sync",
    {
      config,
      bodyLimit: LIST_LIMIT,
      schema: {
        summary: "Apply a price list",
        querystring: SyncQuery,
        body: z.unknown(),
        response: answers(PriceChanges),
      },
    },
    async (request) => {
      const list: SavePrice[] = readPriceList(request.body);
      // Overwriting with an empty list would leave every model without a price.
      if (list.length === 0) throw invalidRequest({ reason: "price_list_empty" });
      return ok(await takeOverPrices(db, viewerOf(request), list, request.query.updateMode));
    },
  );
}
