/** Names of groups that are known by their symbols. */
import { queryOptions, useQuery } from "@tanstack/react-query";
import { useCallback } from "react";
import { asSent, http } from "#lib/http.ts";
import { allGroups, usableGroupsQuery } from "#lib/queries/groups.ts";
import { useCan } from "#lib/session.ts";

/** Names of all groups by symbol, for administrators. */
const namesQuery = queryOptions({
  queryKey: [...allGroups, "names"],
  queryFn: () => http.get("/group/names", asSent<Record<string, string>>()),
  staleTime: 60_000,
});

/**
 * Returns what gives the name of a group; the symbol of one that was deleted or, except for administrators, one
 * that they may not use.
 */
export function useGroupNames(): (symbol: string) => string {
  const administers = useCan("administer");
  const names = useQuery({ ...namesQuery, enabled: administers }).data;
  const usable = useQuery({ ...usableGroupsQuery, enabled: !administers }).data;
  return useCallback((symbol) => names?.[symbol] ?? usable?.[symbol]?.name ?? symbol, [names, usable]);
}

export function GroupName({ symbol }: { symbol: string }) {
  return useGroupNames()(symbol);
}
