/** Fetches external price lists, and applies them automatically if the operator enables it. */
import type { PriceUpdate } from "@gateway/shared/billing/price";
import { type ReasonFact, storedFacts } from "@gateway/shared/reasons";
import type { Settings } from "@gateway/shared/site/settings";
import { systemActor } from "#domain/audit-log/audit.ts";
import { GatewayError, invalidRequest, reasonOfError } from "#errors.ts";
import { currentTime, unixTime } from "#platform/clock.ts";
import { fetchPublicText } from "#platform/http/public-fetch.ts";
import type { PrismaClient, PriceSync } from "#platform/prisma/client.ts";
import { takeOverPrices } from "./edit-prices.ts";
import { readPriceList } from "./price-sync.ts";
import type { SavePrice } from "./prices.ts";
import { listedPrices } from "./seed-prices.ts";

/** @param url "" for the list of this version. Throws `invalid_request` with the defect of the response. */
export async function fetchPriceList(url: string): Promise<SavePrice[]> {
  return url === "" ? listedPrices() : readPriceList(parseList(await fetchPublicText(url)));
}

function parseList(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw invalidRequest({ reason: "price_list_not_answered" }, { param: "url" });
  }
}

const KEPT = 100;
const HOUR_MS = 3_600_000;
/** The scheduler runs hourly: a slightly late run must not delay the next one to another hour. */
const SLACK_MS = 300_000;

/**
 * Applies the list when it is due, and records the result, including failures: an unavailable address of a
 * provider is not an error of the gateway. Returns undefined when it is not due.
 */
export async function updatePricesIfDue(
  db: PrismaClient,
  settings: Pick<
    Settings,
    "PriceUpdateEnabled" | "PriceUpdateHours" | "PriceUpdateMode" | "UpdatePriceService"
  >,
  fetchList: (url: string) => Promise<SavePrice[]> = fetchPriceList,
  now = currentTime(),
): Promise<PriceUpdate | undefined> {
  if (!settings.PriceUpdateEnabled) return undefined;
  const last = await db.priceSync.findFirst({ orderBy: { id: "desc" } });
  const since = now.getTime() - (last?.created_time.getTime() ?? 0);
  // A run in the future was recorded with a wrong clock. Waiting for that time could take years.
  if (since >= 0 && since < settings.PriceUpdateHours * HOUR_MS - SLACK_MS) return undefined;
  const mode = settings.PriceUpdateMode;
  const url = settings.UpdatePriceService;
  const run = await takeOver(db, url, mode, fetchList);
  const kept = await db.priceSync.create({ data: { created_time: now, url, mode, ...run } });
  await db.priceSync.deleteMany({ where: { id: { lte: kept.id - KEPT } } });
  return describeUpdate(kept);
}

type Run = { error_facts: ReasonFact[] } & Pick<
  PriceSync,
  "error" | "added" | "changed" | "removed" | "locked"
>;

async function takeOver(
  db: PrismaClient,
  url: string,
  mode: Settings["PriceUpdateMode"],
  fetchList: (url: string) => Promise<SavePrice[]>,
): Promise<Run> {
  try {
    const list = await fetchList(url);
    // Overwriting with an empty list would leave every model without a price.
    if (list.length === 0) throw invalidRequest({ reason: "price_list_empty" });
    const { added, changed, removed, locked } = await takeOverPrices(db, systemActor, list, mode);
    return {
      error: "",
      error_facts: [],
      added: added.map((price) => price.model),
      changed: changed.map(({ after }) => after.model),
      removed: removed.map((price) => price.model),
      locked,
    };
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error;
    const { text, facts } = reasonOfError(error);
    return { error: text, error_facts: facts, added: [], changed: [], removed: [], locked: [] };
  }
}

/** Returns the newest updates first. */
export async function listPriceUpdates(db: PrismaClient, take: number): Promise<PriceUpdate[]> {
  return (await db.priceSync.findMany({ orderBy: { id: "desc" }, take })).map(describeUpdate);
}

function describeUpdate(row: PriceSync): PriceUpdate {
  const { id, created_time, url, mode, error, error_facts, added, changed, removed, locked } = row;
  const time = unixTime(created_time);
  return {
    id,
    created_time: time,
    url,
    mode,
    error,
    error_facts: storedFacts(error_facts),
    added,
    changed,
    removed,
    locked,
  };
}
