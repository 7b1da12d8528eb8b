/** Names of groups that are known by their symbols. */
import { useQuery } from "@tanstack/react-query";
import { useCallback } from "react";
import { groupsQuery } from "#lib/queries/tokens.ts";

/** Returns what gives the name of a group; the symbol of one that was deleted or disabled. */
export function useGroupNames(): (symbol: string) => string {
  const groups = useQuery(groupsQuery).data;
  return useCallback((symbol) => groups?.[symbol]?.name ?? symbol, [groups]);
}

export function GroupName({ symbol }: { symbol: string }) {
  return useGroupNames()(symbol);
}
