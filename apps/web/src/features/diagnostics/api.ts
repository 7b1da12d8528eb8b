import type { Diagnosis } from "@gateway/shared/site/diagnosis";
import { queryOptions } from "@tanstack/react-query";
import { asSent, http } from "#lib/http.ts";

/** Runs the checks. They load other systems a little, so nothing but the button runs them again. */
export const diagnosisQuery = queryOptions({
  queryKey: ["diagnosis"],
  queryFn: () => http.post("/diagnostics", asSent<Diagnosis>()),
  staleTime: Infinity,
  refetchOnWindowFocus: false,
  refetchOnReconnect: false,
  retry: false,
});
