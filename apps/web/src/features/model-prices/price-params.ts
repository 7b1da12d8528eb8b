/** Parameters of the list of models in the address. */
import { PageQuery } from "@gateway/shared/paging";
import { z } from "zod";
import { sortings } from "./offers.ts";

export const PriceParams = PageQuery.extend({
  size: z.coerce.number().int().min(1).max(100).catch(20).default(20),
  view: z.enum(["cards", "list"]).catch("cards").default("cards"),
  sort: z.enum(sortings).catch("usage").default("usage"),
  keyword: z.string().default(""),
  owner: z.string().default(""),
  kind: z.string().default(""),
  tag: z.string().default(""),
  group: z.string().default(""),
  unit: z.enum(["M", "K"]).catch("M").default("M"),
  /** "shown": includes models that the group does not reach. */
  others: z.enum(["", "shown"]).catch("").default(""),
});
export type PriceView = z.output<typeof PriceParams>;
