/** Parameters of the list of models in the address. */
import { oneOf, paging, type ParamsOf, sizeOf, text } from "#lib/address/params.ts";
import { sortings } from "./offers.ts";

export const priceParams = {
  ...paging,
  size: sizeOf(20),
  view: oneOf(["cards", "list"]),
  sort: oneOf(sortings, "usage"),
  keyword: text(),
  owner: text(),
  kind: text(),
  tag: text(),
  group: text(),
  unit: oneOf(["M", "K"]),
  /** "shown": includes models that the group does not reach. */
  others: oneOf(["", "shown"]),
};
export type PriceView = ParamsOf<typeof priceParams>;
