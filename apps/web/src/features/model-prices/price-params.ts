/** Parameters of the list of models in the address. */
import { oneOf, paging, type ParamsOf, sizeOf, textParam } from "#lib/address/params.ts";
import { readChosenSize } from "#lib/lists/page-size.ts";
import { sortings } from "./offers.ts";

export const priceParams = {
  ...paging,
  size: {
    ...sizeOf(20),
    // Cards are no rows: the height of the window does not tell how many fit.
    get initial() {
      return readChosenSize() ?? 20;
    },
  },
  view: oneOf(["cards", "list"]),
  sort: oneOf(sortings, "usage"),
  keyword: textParam(),
  owner: textParam(),
  kind: textParam(),
  tag: textParam(),
  input: oneOf(["", "image", "audio", "pdf", "video"]),
  context: oneOf(["", "32000", "128000", "200000", "1000000"]),
  price: oneOf(["", "0", "0.5", "1", "3", "10"]),
  cache: oneOf(["", "yes"]),
  reasoning: oneOf(["", "yes"]),
  /** Names of up to three models to compare, each encoded for an address, separated by commas. */
  compare: textParam(1_000),
  group: textParam(),
  unit: oneOf(["M", "K"]),
  /** "shown": includes models that the group does not reach. */
  others: oneOf(["", "shown"]),
};
/** No filter is set. */
export const noFilters = {
  keyword: "",
  owner: "",
  kind: "",
  tag: "",
  input: "",
  context: "",
  price: "",
  cache: "",
  reasoning: "",
} as const;

export type PriceView = ParamsOf<typeof priceParams>;
