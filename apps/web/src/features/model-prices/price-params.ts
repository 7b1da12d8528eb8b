/** Parameters of the list of models in the address. */
import { oneOf, paging, type ParamsOf, sizeOf, textParam } from "#lib/address/params.ts";
import { sortings } from "./offers.ts";

export const priceParams = {
  ...paging,
  size: sizeOf(20),
  view: oneOf(["cards", "list"]),
  sort: oneOf(sortings, "usage"),
  keyword: textParam(),
  owner: textParam(),
  kind: textParam(),
  tag: textParam(),
  group: textParam(),
  unit: oneOf(["M", "K"]),
  /** "shown": includes models that the group does not reach. */
  others: oneOf(["", "shown"]),
};
export type PriceView = ParamsOf<typeof priceParams>;
