import { type PageQuery, queryInt } from "@gateway/shared/paging";
import { z } from "zod";
import { invalidRequest } from "#errors.ts";

/** Ids of rows are 32-bit; anything else cannot exist. In a body it is a number, and no text or switch. */
export const RowId = z.int().min(1).max(2_147_483_647);
/** The same in an address, where everything is text. */
export const RowIdText = queryInt(RowId);
export const IdParams = z.object({ id: RowIdText });

/** Rows this far down exist in no list that people read. */
const MAX_SKIP = 1_000_000_000;

export interface Slice<F extends string> {
  skip: number;
  take: number;
  orderBy: Partial<Record<F | "id", "asc" | "desc">>[];
}

/** `order=-field,other` against the fields a list can be sorted by; newest first when it is empty. */
export function sliceOf<F extends string>(query: PageQuery, sortable: readonly F[]): Slice<F> {
  const orderBy: Slice<F>["orderBy"] = [];
  for (const part of query.order.split(",").filter((text) => text !== "")) {
    const name = part.replace(/^-/, "");
    const field = sortable.find((candidate) => candidate === name);
    if (field === undefined)
      throw invalidRequest({ reason: "sort_unknown", field: name }, { param: "order" });
    orderBy.push({ [field]: part.startsWith("-") ? "desc" : "asc" } as Slice<F>["orderBy"][number]);
  }
  // Without a unique last word, rows that compare equal could show up on two pages.
  orderBy.push({ id: "desc" } as Slice<F>["orderBy"][number]);
  return { skip: Math.min((query.page - 1) * query.size, MAX_SKIP), take: query.size, orderBy };
}

export function pageOf<T>(query: PageQuery, rows: T[], total: number) {
  return { data: rows, page: query.page, size: query.size, total_count: total };
}
