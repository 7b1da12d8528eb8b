import { type PageQuery, queryInt } from "@gateway/shared/paging";
import { z } from "zod";
import { invalidRequest } from "#errors.ts";

/**
 * Ids of rows are 32-bit; anything else cannot exist. In a body an id is a number, never a string or a
 * boolean.
 */
export const RowId = z.int().min(1).max(2_147_483_647);
/** The same in an address, where everything is text. */
export const RowIdText = queryInt(RowId);
export const IdParams = z.object({ id: RowIdText });

/** Maximum number of skipped rows. No list that people read is this long. */
const MAX_SKIP = 1_000_000_000;

export interface Slice<F extends string> {
  skip: number;
  take: number;
  orderBy: Partial<Record<F | "id", "asc" | "desc">>[];
}

/** Parses `order=-field,other` against the sortable fields of a list. Newest first when it is empty. */
export function sliceOf<F extends string>(query: PageQuery, sortable: readonly F[]): Slice<F> {
  const orderBy: Slice<F>["orderBy"] = [];
  for (const part of query.order.split(",").filter((text) => text !== "")) {
    const name = part.replace(/^-/, "");
    const field = sortable.find((candidate) => candidate === name);
    if (field === undefined)
      throw invalidRequest({ reason: "sort_unknown", field: name }, { param: "order" });
    orderBy.push({ [field]: part.startsWith("-") ? "desc" : "asc" } as Slice<F>["orderBy"][number]);
  }
  // Without a unique last field, rows that compare equal could appear on two pages.
  orderBy.push({ id: "desc" } as Slice<F>["orderBy"][number]);
  return { skip: Math.min((query.page - 1) * query.size, MAX_SKIP), take: query.size, orderBy };
}

export function pageOf<T>(query: PageQuery, rows: T[], total: number) {
  return { data: rows, page: query.page, size: query.size, total_count: total };
}
