/** The one cache of server data, and the one place where failures become visible. */
import { MutationCache, QueryCache, QueryClient } from "@tanstack/react-query";
import { ApiError } from "./http.ts";

declare module "@tanstack/react-query" {
  interface Register {
    /** `quiet`: the screen itself shows this failure, no toast. */
    queryMeta: { quiet?: boolean };
    mutationMeta: { quiet?: boolean };
  }
}

/** Worth another try: no connection, or a server in trouble. Not a refusal, not an answer we cannot read. */
function isPassing(error: Error): boolean {
  return error instanceof ApiError ? error.status >= 500 : error instanceof TypeError;
}

/** @param report shows a failure to the person; called once per failed query or mutation. */
export function createQueryClient(report: (error: unknown) => void): QueryClient {
  return new QueryClient({
    queryCache: new QueryCache({
      onError: (error, query) => {
        if (!query.meta?.quiet) report(error);
      },
    }),
    mutationCache: new MutationCache({
      onError: (error, _variables, _context, mutation) => {
        // Field errors are shown on the fields.
        const shownOnFields = error instanceof ApiError && Object.keys(error.fields).length > 0;
        if (!mutation.meta?.quiet && !shownOnFields) report(error);
      },
    }),
    defaultOptions: {
      queries: {
        staleTime: 10_000,
        retry: (count, error) => count < 2 && isPassing(error),
        refetchOnWindowFocus: false,
      },
    },
  });
}
