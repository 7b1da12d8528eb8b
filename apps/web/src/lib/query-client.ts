/** The one cache of server data, and the one place where failures become visible. */
import { MutationCache, QueryCache, QueryClient } from "@tanstack/react-query";
import { isGatewayFailure } from "./connection.ts";
import { ApiError } from "./http.ts";
import { phrase } from "./i18n.ts";
import { isShown } from "./shown-errors.ts";

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

/**
 * Worth another try at once: no connection, or a server that is away for a moment. Not a refusal, not an error of the
 * server's program, not an answer that took too long: the reader sees those, with a button.
 */
function isPassing(error: Error): boolean {
  return error instanceof ApiError
    ? isGatewayFailure(error.status) && error.retryAfter === undefined
    : error instanceof TypeError;
}

const RETRY_MS = 600;
/** By then a screen has drawn the error where its answer should be. */
const DRAWN_MS = 700;

/** @param report shows a failure to the person; called once per failed query or mutation that no screen shows. */
export function createQueryClient(report: (error: unknown, failed?: string) => void): QueryClient {
  return new QueryClient({
    queryCache: new QueryCache({
      onError: (error, query) => {
        if (query.meta?.quiet) return;
        setTimeout(() => {
          // What was loaded ahead has no observer: it is fetched again when it is needed.
          if (!isShown(error) && query.getObserversCount() > 0) report(error, query.meta?.failed);
        }, DRAWN_MS);
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
        retry: (count, error) => count < 1 && isPassing(error),
        retryDelay: RETRY_MS,
        refetchOnWindowFocus: false,
        // Offline a request fails and says so; what is shown is fetched again when the connection is back.
        networkMode: "always",
      },
      mutations: { networkMode: "always" },
    },
  });
}
