/** One API and New API keep groups, prices and much else as JSON in the table `options`. */
import { createHash } from "node:crypto";
import type { ReadContext } from "#migration/products/product.ts";
import type { GroupRecord } from "#migration/records.ts";
import { decimal, parseJson, record } from "#migration/row.ts";

export function objectOption(
  { options }: Pick<ReadContext, "options">,
  key: string,
): Record<string, unknown> {
  return record(parseJson(options.get(key) ?? ""));
}

/** Groups that both products have after the first start, until an administrator saves the groups. */
const firstGroups = { default: 1, vip: 1, svip: 1 };
const noLimit = 10_000_000;

/** @param names of groups that users may choose, by symbol */
export function* groupsOf(
  context: ReadContext,
  names: Record<string, unknown>,
  rateOf: (symbol: string) => number | undefined = () => undefined,
): Generator<GroupRecord> {
  const ratios = context.options.has("GroupRatio") ? objectOption(context, "GroupRatio") : firstGroups;
  let id = 0;
  for (const [symbol, ratio] of Object.entries(ratios)) {
    id += 1;
    context.book.read("groups");
    const name = names[symbol];
    yield {
      id,
      symbol,
      name: typeof name === "string" ? name : symbol,
      ratio: decimal(ratio, 6) ?? "1",
      public: Object.hasOwn(names, symbol),
      enable: true,
      apiRate: rateOf(symbol) ?? noLimit,
      promotion: false,
      min: 0,
      max: 0,
    };
  }
}

/** An order number of at most 50 characters that no other order gets. */
export function shortNumber(number: string): string {
  return number.length <= 50 ? number : createHash("sha256").update(number).digest("hex").slice(0, 50);
}
