import type { TokenKey } from "@gateway/shared/accounts/token";
import type { LogPage } from "@gateway/shared/usage/log";
import { queryOptions } from "@tanstack/react-query";
import { asPage, asSent, http } from "#lib/http.ts";
import type { Charge } from "./chat.ts";

/** The API key of the console itself. The server creates it on the first request. */
export const keyQuery = queryOptions({
  queryKey: ["playground-key"],
  queryFn: async () => (await http.get("/token/playground", asSent<TokenKey>())).key,
  staleTime: Infinity,
});

/** Delays of the retries: a call is settled shortly after its client disconnected. */
const patienceMs = [0, 400, 1_500];

/** Returns the cost of a call from the request log; null when it is not recorded. */
export async function chargeOf(requestId: string): Promise<Charge | null> {
  if (requestId === "") return null;
  for (const waitMs of patienceMs) {
    await new Promise((resolve) => setTimeout(resolve, waitMs));
    const [row] = (await http.get("/log/self", asPage<LogPage>(), { request_id: requestId, size: 1 })).data;
    if (row)
      return {
        points: row.quota,
        estimated: row.estimated,
        groupRatio: row.bill?.group_ratio ?? "1",
        lines: row.bill?.lines ?? [],
      };
  }
  return null;
}
