import type { ObjectUsage } from "@gateway/shared/usage/object-usage";
import { queryOptions } from "@tanstack/react-query";
import { timeZone } from "#lib/format/time-zone.ts";
import { asSent, http } from "#lib/http.ts";

/**
 * The usage of one object.
 * @param path path of the object: "/channel/3"
 */
export const usageQuery = (path: string) =>
  queryOptions({
    queryKey: ["object-usage", path],
    queryFn: () => http.get(`${path}/usage`, asSent<ObjectUsage>(), { time_zone: timeZone() }),
    staleTime: 10_000,
    refetchInterval: 60_000,
    meta: { quiet: true },
  });
