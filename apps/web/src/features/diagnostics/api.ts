import { Diagnosis } from "@gateway/shared/site/diagnosis";
import { queryOptions } from "@tanstack/react-query";
import { http } from "#lib/http.ts";

/** Runs the checks. They load other systems a little, so nothing but the button runs them again. */
export const diagnosisQuery = queryOptions({
  queryKey: ["diagnosis"],
  queryFn: () => http.post("/diagnostics", Diagnosis),
  staleTime: Infinity,
  refetchOnWindowFocus: false,
  refetchOnReconnect: false,
  retry: false,
});
