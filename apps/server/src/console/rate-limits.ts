/**
 * Rate limits of /api: per session for signed-in users, per account for its access token, else per address.
 * Routes on which a caller could guess a secret always count addresses.
 */
import type {
  FastifyRateLimitStore,
  FastifyRateLimitStoreCtor,
  RateLimitPluginOptions,
} from "@fastify/rate-limit";
import type { FastifyRequest } from "fastify";
import { GatewayError } from "#errors.ts";
import { networkOf } from "#platform/http/network-of.ts";
import type { Sessions } from "./accounts/session.ts";
import type { Services } from "./services.ts";

const WINDOW_MS = 180_000;

/**
 * Multiple of the limit of one address. A screen of the console sends up to ten requests, and several tabs
 * share a session.
 */
const SESSION_FACTOR = 10;
/** Scripts with an access token count separately from the console of the same account. */
const ACCOUNT_FACTOR = 5;

type RateCounter = {
  key: string;
  max: number;
  reason: "too_many_of_session" | "too_many_of_account" | "too_many_from_address";
};

export function rateLimits(
  { requestCounts, apiRateLimit }: Pick<Services, "requestCounts" | "apiRateLimit">,
  sessions: Sessions,
): RateLimitPluginOptions {
  function counterOf(request: FastifyRequest): RateCounter {
    const { access, rateLimit } = request.routeOptions.config;
    const guessing = access === "anyone" && rateLimit !== undefined;
    const presented = guessing ? { kind: "none" as const } : sessions.presented(request);
    const address = { max: apiRateLimit, reason: "too_many_from_address" as const };
    switch (presented.kind) {
      case "session":
        return {
          key: `session ${presented.name}`,
          max: apiRateLimit * SESSION_FACTOR,
          reason: "too_many_of_session",
        };
      case "account":
        return {
          key: `account ${presented.id}`,
          max: apiRateLimit * ACCOUNT_FACTOR,
          reason: "too_many_of_account",
        };
      // A flood of invented credentials counts for its address. It has its own key, so that guests of the
      // address do not block sessions that this node has not seen yet.
      case "unknown":
        return { key: `${networkOf(request.ip)} unknown`, ...address };
      case "none":
        return { key: networkOf(request.ip), ...address };
    }
  }

  const store: FastifyRateLimitStore = {
    incr(key, callback, windowMs, max) {
      requestCounts.add(key, { max, windowMs }).then(
        (count) => callback(null, count),
        (error: unknown) => callback(error instanceof Error ? error : new Error("Counting failed.")),
      );
    },
    // The key contains the route, where a route has its own limit.
    child: () => store,
  };
  function Store() {
    return store;
  }

  return {
    timeWindow: WINDOW_MS,
    max: (request) => counterOf(request).max,
    keyGenerator(request) {
      const { config, url } = request.routeOptions;
      const route = config.rateLimit === undefined ? "" : `${request.method} ${url} `;
      return `${route}${counterOf(request).key}`;
    },
    // A function that returns an object is a constructor, which the type cannot express.
    store: Store as unknown as FastifyRateLimitStoreCtor,
    errorResponseBuilder: (request, { ttl }) =>
      new GatewayError(
        "rate_limit_exceeded",
        { reason: counterOf(request).reason },
        { retryAfter: ttl / 1000 },
      ),
  };
}
