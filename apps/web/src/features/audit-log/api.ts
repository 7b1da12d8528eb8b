import type { AuditPage, AuditQuery, AuditRow } from "@gateway/shared/usage/audit";
import { infiniteQueryOptions, keepPreviousData } from "@tanstack/react-query";
import { startOf } from "#lib/address/day-ranges.ts";
import { oneOf, paging, type Params, trimmedParam } from "#lib/address/params.ts";
import { asPage, http } from "#lib/http.ts";

export type AuditRange = "all" | "day" | "week" | "month";

/** Filters of the list, kept in the address. */
export const auditParams: Params<AuditFilter> = {
  username: trimmedParam(64),
  target_type: trimmedParam(32),
  target_id: trimmedParam(128),
  order: paging.order,
  range: oneOf(["all", "day", "week", "month"]),
};
export type AuditFilter = Pick<AuditQuery, "username" | "target_type" | "target_id" | "order"> & {
  range: AuditRange;
};

const pageSize = 50;

/** Returns the start of the range as unix seconds; 0 for all entries. */
function startOfRange(range: AuditRange, now: Date): number {
  switch (range) {
    case "all":
      return 0;
    case "day":
      return Math.floor(now.getTime() / 1000) - 86_400;
    case "week":
      return startOf("7d", now).getTime() / 1000;
    case "month":
      return startOf("30d", now).getTime() / 1000;
  }
}

export const auditQuery = ({ range, ...filter }: AuditFilter) =>
  infiniteQueryOptions({
    queryKey: ["audit", filter, range],
    queryFn: ({ pageParam }) =>
      http.get("/audit", asPage<AuditPage>(), {
        ...filter,
        size: pageSize,
        cursor: pageParam,
        start_timestamp: startOfRange(range, new Date()),
      }),
    initialPageParam: "",
    getNextPageParam: (page) => page.next,
    placeholderData: keepPreviousData,
  });

/**
 * Fetches an entry that is named in the address but not in the
 * list: the first entry of the page that begins with it.
 */
export async function fetchEntry(id: string): Promise<AuditRow | undefined> {
  if (!/^\d{1,17}$/.test(id)) return undefined;
  const page = await http.get("/audit", asPage<AuditPage>(), { cursor: String(BigInt(id) + 1n), size: 1 });
  return page.data.find((row) => row.id === id);
}
