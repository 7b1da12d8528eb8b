import type {
  FastifyRateLimitStore,
  FastifyRateLimitStoreCtor,
  RateLimitPluginOptions,
} from "@fastify/rate-limit";
import type { FastifyRequest } from "fastify";
import { GatewayError } from "#errors.ts";
import { networkOf } from "#platform/network-of.ts";
import type { Sessions } from "./accounts/session.ts";
import type { Services } from "./services.ts";

/**
 * How often /api may be asked: per account for those who are signed in, else per address. Routes on which a visitor
 * guesses at secrets count addresses in either case.
 */

const WINDOW_MS = 180_000;

/** Of the limit of one address. An account is someone known, and its screens and scripts count together. */
const ACCOUNT_FACTOR = 5;

export function rateLimits(
  { requestCounts, apiRateLimit }: Pick<Services, "requestCounts" | "apiRateLimit">,
  sessions: Sessions,
): RateLimitPluginOptions {
  /** A credential that was not looked up yet counts for its address: a flood of invented ones is a flood. */
  function accountOf(request: FastifyRequest): number | undefined {
    const { access, rateLimit } = request.routeOptions.config;
    const guessing = access === "anyone" && rateLimit !== undefined;
    return guessing ? undefined : sessions.lastAccount(request);
  }

  const store: FastifyRateLimitStore = {
    incr(key, callback, windowMs, max) {
      requestCounts.add(key, { max, windowMs }).then(
        (count) => callback(null, count),
        (error: unknown) => callback(error instanceof Error ? error : new Error("Counting failed.")),
      );
    },
    // The key names the route, where a route has a limit of its own.
    child: () => store,
  };
  function Store() {
    return store;
  }

  return {
    timeWindow: WINDOW_MS,
    max: (request) => (accountOf(request) === undefined ? apiRateLimit : apiRateLimit * ACCOUNT_FACTOR),
    keyGenerator(request) {
      const { config, url } = request.routeOptions;
      const route = config.rateLimit === undefined ? "" : `${request.method} ${url} `;
      const account = accountOf(request);
      return `${route}${account === undefined ? networkOf(request.ip) : `account ${account}`}`;
    },
    // A function that returns an object is a constructor, which the type cannot say.
    store: Store as unknown as FastifyRateLimitStoreCtor,
    errorResponseBuilder: (request, { ttl }) =>
      new GatewayError(
        "rate_limit_exceeded",
        { reason: accountOf(request) === undefined ? "too_many_from_address" : "too_many_of_account" },
        { retryAfter: ttl / 1000 },
      ),
  };
}
