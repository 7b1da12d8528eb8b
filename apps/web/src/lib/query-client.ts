/** The cache of server data. Reports failed requests in one place. */
import { MutationCache, QueryCache, QueryClient } from "@tanstack/react-query";
import { isShown } from "./errors/shown-errors.ts";
import { ApiError } from "./http.ts";
import { phrase } from "./i18n.ts";
import { isGatewayFailure } from "./live/connection.ts";

export interface Failing extends Record<string, unknown> {
  /** No toast: the screen shows the error itself. */
  quiet?: boolean;
  /** No toast for an error with field errors: the form shows them. */
  onFields?: boolean;
  /** The attempted action, as an English phrase; precedes the reason. */
  failed?: string;
}

declare module "@tanstack/react-query" {
  interface Register {
    queryMeta: Failing;
    mutationMeta: Failing;
  }
}

/** Meta of a mutation that deletes. */
export const deletion = { failed: phrase("Delete failed") };

/** Meta of a mutation whose form shows field errors. */
export const inForm = { onFields: true };

/**
 * Returns whether an immediate retry may help: no connection, or a server that is briefly unavailable. Not
 * for rejections, server errors and timeouts: the user sees those with a retry button.
 */
function isPassing(error: Error): boolean {
  return error instanceof ApiError
    ? isGatewayFailure(error.status) && error.retryAfter === undefined
    : error instanceof TypeError;
}

const RETRY_MS = 600;
/** A screen has drawn the error in place of its content after this time, in milliseconds. */
const DRAWN_MS = 700;

/** @param report shows a failure to the user; called once per failed query or mutation that no screen shows */
export function createQueryClient(report: (error: unknown, failed?: string) => void): QueryClient {
  return new QueryClient({
    queryCache: new QueryCache({
      onError: (error, query) => {
        if (query.meta?.quiet) return;
        setTimeout(() => {
          // A prefetch has no observer: the data is fetched again when it is needed.
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
        // Offline requests fail visibly. Active queries are fetched again after a reconnect.
        networkMode: "always",
      },
      mutations: { networkMode: "always" },
    },
  });
}
