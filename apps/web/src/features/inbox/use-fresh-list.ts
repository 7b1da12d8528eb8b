/** The list follows the number on the bell: a new event refetches it. */
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef } from "react";
import { stateQuery } from "./state.ts";

export function useFreshList(): void {
  const client = useQueryClient();
  const newest = useQuery(stateQuery).data?.newest;
  const known = useRef(newest);
  useEffect(() => {
    const isNews = known.current !== undefined && newest !== known.current;
    known.current = newest;
    if (isNews) void client.invalidateQueries({ queryKey: ["inbox", "list"] });
  }, [client, newest]);
}
