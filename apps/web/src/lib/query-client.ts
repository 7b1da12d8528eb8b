/** The one cache of server data, and the one place where failures become visible. */
import { MutationCache, QueryCache, QueryClient } from "@tanstack/react-query";
import { ApiError } from "./http.ts";
import { phrase } from "./i18n.ts";

export interface Failing extends Record<string, unknown> {
  /** The screen itself says what went wrong, no toast. */
  quiet?: boolean;
  /** A form shows what is wrong with its fields: no toast for an error that names some. */
  onFields?: boolean;
  /** What was attempted, as an English phrase; stands before the reason. */
  failed?: string;
}

declare module "@tanstack/react-query" {
  interface Register {
    queryMeta: Failing;
    mutationMeta: Failing;
  }
}

/** Of a mutation that deletes. */
export const deletion = { failed: phrase("Delete failed") };

/** Of a mutation whose form shows field errors on its fields. */
export const inForm = { onFields: true };

/** Worth another try: no connection, or a server in trouble. Not a refusal, not an answer we cannot read. */
function isPassing(error: Error): boolean {
  return error instanceof ApiError ? error.status >= 500 : error instanceof TypeError;
}

/** @param report shows a failure to the person; called once per failed query or mutation. */
export function createQueryClient(report: (error: unknown, failed?: string) => void): QueryClient {
  return new QueryClient({
    queryCache: new QueryCache({
      onError: (error, query) => {
        if (!query.meta?.quiet) report(error, query.meta?.failed);
      },
    }),
    mutationCache: new MutationCache({
      onError: (error, _variables, _context, mutation) => {
        const { quiet, onFields, failed } = mutation.meta ?? {};
        const namesFields = error instanceof ApiError && Object.keys(error.issues).length > 0;
        if (!quiet && !(onFields && namesFields)) report(error, failed);
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
