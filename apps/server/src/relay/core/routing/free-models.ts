/** What is known about a call before its body is parsed: whether its model exists, and whether it may be free. */
import { findPrice, type ActivePrice, type PriceTable } from "#domain/pricing/pricing.ts";
import type { Caller, Pin } from "#domain/tokens/callers.ts";
import type { RelayServices } from "#relay/core/services.ts";
import { priceOptionsOf } from "./price-options.ts";

type ModelLookup = Pick<RelayServices, "candidates" | "groups" | "prices">;

/** Whether a group has a free model, by price table. Channels change more often, so it is not kept for long. */
const freeGroups = new WeakMap<PriceTable, Map<string, { has: boolean; until: number }>>();
const KNOWN_MS = 2_000;

/** Returns whether some model may be free for this caller, so that it may call without a balance. */
export function mayCallFree(services: ModelLookup, caller: Caller): boolean {
  const table = services.prices.table();
  let groups = freeGroups.get(table);
  if (groups === undefined) freeGroups.set(table, (groups = new Map()));
  for (const symbol of groupsOf(caller)) {
    let found = groups.get(symbol);
    if (found === undefined || found.until < performance.now()) {
      // A channel for any name of a kind may also serve a free one.
      const free = [...table.exact.values()].filter(isFree).map(({ model }) => model);
      const names = [...services.candidates.models(symbol), ...free];
      const has = names.some((model) => isFreeIn(services, table, symbol, model));
      found = { has, until: performance.now() + KNOWN_MS };
      groups.set(symbol, found);
    }
    if (found.has) return true;
  }
  return false;
}

/** Returns whether this model may be free for this caller. */
export function mayBeFree(services: ModelLookup, caller: Caller, model: string): boolean {
  const table = services.prices.table();
  return groupsOf(caller).some((symbol) => isFreeIn(services, table, symbol, model));
}

function isFreeIn(
  { groups, candidates }: ModelLookup,
  table: PriceTable,
  symbol: string,
  model: string,
): boolean {
  const channels = candidates.find(symbol, model);
  if (channels.length === 0) return false;
  if (isZero(groups.get(symbol)?.ratio)) return true;
  return priceOptionsOf(channels, model).some(({ billed }) => {
    const price = findPrice(table, billed);
    return price !== undefined && isFree(price);
  });
}

/** Returns whether a channel offers the model to this caller. A pinned channel may serve any model. */
export function isModelOffered(
  { candidates }: ModelLookup,
  caller: Caller,
  pin: Pin | undefined,
  model: string,
): boolean {
  if (pin?.only !== undefined) return true;
  return groupsOf(caller).some((symbol) => candidates.find(symbol, model).length > 0);
}

function groupsOf({ group, backupGroup }: Caller): string[] {
  return backupGroup === "" ? [group] : [group, backupGroup];
}

function isFree({ input, output }: ActivePrice): boolean {
  return isZero(input) && isZero(output);
}

function isZero(decimal: string | undefined): boolean {
  return decimal !== undefined && Number(decimal) === 0;
}
