/**
 * Rate limits of several workers without Redis. The primary process counts for all of them, so that a client
 * has its whole limit on every worker. A worker that cannot reach the primary process allows its own share.
 */
import type { Limit } from "#domain/limits/levels.ts";
import { type Share, wholeShare } from "#domain/limits/levels.ts";
import { createRequestCounts, type RequestCount, type RequestCounts } from "#domain/limits/request-counts.ts";
import { createLimiter, type Limiter, type RateDecision } from "#domain/limits/take.ts";
import type { WorkerLink } from "./link.ts";

interface TakeLimits {
  owner: string;
  limits: readonly Limit[];
}

interface GiveBack {
  owner: string;
  limit: Limit;
  used: number;
}

interface CountRequest {
  key: string;
  limit: { max: number; windowMs: number };
}

/** Returns the handlers of the primary process. */
export function countForWorkers() {
  let share: Share = wholeShare;
  const limiter = createLimiter({ share: () => share });
  const counts = createRequestCounts({ share: () => share });
  return {
    setShare(next: Share) {
      share = next;
    },
    answers: {
      "limits.take": ({ owner, limits }: TakeLimits) => limiter.take(owner, limits),
      "limits.give-back": ({ owner, limit, used }: GiveBack) => limiter.giveBack(owner, limit, used),
      "requests.count": ({ key, limit }: CountRequest) => counts.add(key, limit),
    },
  };
}

/** @param share of this worker alone, used when the primary process does not answer */
export function limiterOfWorker(link: WorkerLink, share: () => Share): Limiter {
  const own = createLimiter({ share });
  return {
    async take(owner, limits) {
      if (limits.length === 0) return own.take(owner, limits);
      const requested: TakeLimits = { owner, limits };
      return link.ask("limits.take", requested).then(
        (taken) => taken as RateDecision,
        () => own.take(owner, limits),
      );
    },
    giveBack(owner, limit, used) {
      const given: GiveBack = { owner, limit, used };
      // If this fails, the tokens stay counted, which keeps the limit strict.
      link.ask("limits.give-back", given).catch(() => undefined);
    },
  };
}

export function requestCountsOfWorker(link: WorkerLink, share: () => Share): RequestCounts {
  const own = createRequestCounts({ share });
  return {
    add(key, limit) {
      const requested: CountRequest = { key, limit };
      return link.ask("requests.count", requested).then(
        (count) => count as RequestCount,
        () => own.add(key, limit),
      );
    },
  };
}
