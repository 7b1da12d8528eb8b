import type { AuditPage, AuditQuery, AuditRow } from "@gateway/shared/usage/audit";
import { infiniteQueryOptions, keepPreviousData } from "@tanstack/react-query";
import { oneOf, paging, type Params, trimmedParam } from "#lib/address/params.ts";
import { asPage, http } from "#lib/http.ts";

const daysOf = { day: 1, week: 7, month: 30, all: 0 } as const;
export type AuditRange = keyof typeof daysOf;

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
const secondsPerDay = 86_400;

export const auditQuery = ({ range, ...filter }: AuditFilter) =>
  infiniteQueryOptions({
    queryKey: ["audit", filter, range],
    queryFn: ({ pageParam }) => {
      const days = daysOf[range];
      const start = days === 0 ? 0 : Math.floor(Date.now() / 1000) - days * secondsPerDay;
      return http.get("/audit", asPage<AuditPage>(), {
        ...filter,
        size: pageSize,
        cursor: pageParam,
        start_timestamp: start,
      });
    },
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
