/**
 * Rate limits of the owner's group and of the token. Requests are counted before the body is read, tokens
 * once the call's estimate is known.
 */
import type { ActiveGroups } from "#domain/accounts/groups/active-groups.ts";
import type { Limit, Take } from "#domain/limits/levels.ts";
import type { Limiter } from "#domain/limits/take.ts";
import type { Caller } from "#domain/tokens/callers.ts";
import { GatewayError, invalidKey } from "#errors.ts";
import type { GatewayServices } from "#gateway/services.ts";
import { now } from "#platform/clock.ts";
import type { ReceivedCall } from "#relay/core/call.ts";
import { noteRefusal } from "#relay/core/exchange.ts";

type RateReason = "account_requests_per_minute" | "key_requests_per_minute" | "key_tokens_per_minute";

interface NamedLimit {
  limit: Limit;
  /** Names the limit in the error. */
  reason: RateReason;
}

interface RequestRates {
  apiRate: number;
  rates: readonly NamedLimit[];
  limits: readonly Limit[];
}

/** Cached per caller until the rate of its group changes. */
const ratesOf = new WeakMap<Caller, RequestRates>();

function requestRates(groups: ActiveGroups, caller: Caller): RequestRates {
  const group = groups.get(caller.userGroup);
  if (group === undefined) throw invalidKey();
  const { apiRate } = group;
  const known = ratesOf.get(caller);
  if (known?.apiRate === apiRate) return known;
  const rates = ratesFor(caller, apiRate);
  const made = { apiRate, rates, limits: rates.map(({ limit }) => limit) };
  ratesOf.set(caller, made);
  return made;
}

function ratesFor(caller: Caller, apiRate: number): NamedLimit[] {
  const rates: NamedLimit[] = [
    {
      limit: { key: "account", kind: "requests", perMinute: apiRate, cost: 1 },
      reason: "account_requests_per_minute",
    },
  ];
  const { requests_per_minute: perMinute } = caller.setting.rates;
  if (perMinute > 0)
    rates.push({
      limit: { key: `token${caller.tokenId}`, kind: "requests", perMinute, cost: 1 },
      reason: "key_requests_per_minute",
    });
  return rates;
}

function tokenRates({ tokenId, setting }: Caller, tokens: number): NamedLimit[] {
  const { tokens_per_minute: perMinute } = setting.rates;
  if (perMinute <= 0) return [];
  return [
    {
      limit: { key: `token${tokenId}-tokens`, kind: "tokens", perMinute, cost: tokens },
      reason: "key_tokens_per_minute",
    },
  ];
}

const ownerOf = (caller: Caller) => `user${caller.userId}`;

type Headers = Record<string, string>;

class RateRefusal extends GatewayError<"rate_limit_exceeded"> {
  /** Whether to log the rejection. */
  readonly worthNoting: boolean;

  constructor({ reason, limit }: NamedLimit, take: Take, headers: Headers, worthNoting: boolean) {
    super(
      "rate_limit_exceeded",
      { reason, limit: limit.perMinute },
      { retryAfter: Math.max(1, take.resetSeconds), headers },
    );
    this.worthNoting = worthNoting;
  }
}

/**
 * Returns the rate-limit headers. Throws rate_limit_exceeded.
 * @param dialect the client's, where it has one
 */
async function takeRates(
  limiter: Limiter,
  caller: Caller,
  rates: readonly NamedLimit[],
  { limits, dialect }: { limits: readonly Limit[]; dialect: string | undefined },
): Promise<Headers> {
  const { allowed, takes, worthNoting } = await limiter.take(ownerOf(caller), limits);
  const headers = rateHeaders(limits, takes, dialect === "anthropic");
  if (allowed) return headers;
  // Report the limit with the longest wait.
  const waits = takes.map((take) => (take.allowed ? -1 : take.resetSeconds));
  const index = waits.indexOf(Math.max(...waits));
  const [rate, take] = [rates[index], takes[index]];
  if (rate === undefined || take === undefined) throw invalidKey();
  throw new RateRefusal(rate, take, headers, worthNoting);
}

/** Returns the headers of the limits. Of two limits of the same kind, reports the tighter one. */
function rateHeaders(limits: readonly Limit[], takes: readonly Take[], isAnthropic: boolean): Headers {
  const headers: Headers = {};
  for (const kind of kinds) {
    let tightest: Take | undefined;
    for (const [index, take] of takes.entries())
      if (limits[index]?.kind === kind && !(tightest !== undefined && tightest.remaining <= take.remaining))
        tightest = take;
    if (tightest === undefined) continue;
    const { limit, remaining, reset } = names[kind];
    headers[limit] = String(tightest.limit);
    headers[remaining] = String(tightest.remaining);
    headers[reset] = `${tightest.resetSeconds}s`;
    if (isAnthropic) addAnthropicHeaders(headers, kind, tightest);
  }
  return headers;
}

/** Adds the headers of https://platform.claude.com/docs/en/api/rate-limits#response-headers, read 2026-11-29. */
function addAnthropicHeaders(headers: Headers, kind: Limit["kind"], take: Take): void {
  const start = `anthropic-ratelimit-${kind}`;
  headers[`${start}-limit`] = String(take.limit);
  headers[`${start}-remaining`] = String(take.remaining);
  const reset = new Date(Math.ceil(now() / 1_000 + take.resetSeconds) * 1_000);
  headers[`${start}-reset`] = reset.toISOString().replace(".000Z", "Z");
}

const kinds = ["requests", "tokens"] as const;

const namesOf = (kind: (typeof kinds)[number]) => ({
  limit: `x-ratelimit-limit-${kind}`,
  remaining: `x-ratelimit-remaining-${kind}`,
  reset: `x-ratelimit-reset-${kind}`,
});
const names = { requests: namesOf("requests"), tokens: namesOf("tokens") };

/**
 * Counts one request of any kind. Throws rate_limit_exceeded. The returned headers show the client its
 * limits.
 */
export async function takeRequest(
  limiter: Limiter,
  groups: ActiveGroups,
  caller: Caller,
  dialect?: string,
): Promise<Headers> {
  const { rates, limits } = requestRates(groups, caller);
  return takeRates(limiter, caller, rates, { limits, dialect });
}

/** Gives back a counted request that the gateway could not serve for a reason of its own. */
export function returnRequest(limiter: Limiter, groups: ActiveGroups, caller: Caller): void {
  for (const limit of requestRates(groups, caller).limits) limiter.giveBack(ownerOf(caller), limit, 0);
}

/** Whether the rejection must be logged. */
export function isWorthNoting(error: unknown): error is GatewayError {
  return error instanceof RateRefusal && error.worthNoting;
}

/**
 * Counts the maximum tokens of a call; unused ones are returned with its bill. Throws rate_limit_exceeded and
 * logs the rejection. Returns the headers, and the call for the relay.
 */
export async function admit<C extends ReceivedCall>(
  services: GatewayServices,
  call: C,
): Promise<{ headers: Headers; call: C }> {
  const rates = tokenRates(call.caller, call.estimate.input + call.estimate.output);
  return rates.length === 0 ? { headers: {}, call } : await admitAll(services, call, rates);
}

/** Like `admit`, for a call without an HTTP request of its own: also counts as a request. */
export async function admitWithoutRequest<C extends ReceivedCall>(
  services: GatewayServices,
  call: C,
): Promise<C> {
  const { caller, estimate } = call;
  const rates = [
    ...requestRates(services.relay.groups, caller).rates,
    ...tokenRates(caller, estimate.input + estimate.output),
  ];
  return (await admitAll(services, call, rates)).call;
}

async function admitAll<C extends ReceivedCall>(
  { limiter, relay }: GatewayServices,
  call: C,
  rates: NamedLimit[],
): Promise<{ headers: Headers; call: C }> {
  if (rates.length === 0) return { headers: {}, call };
  const { caller } = call;
  let headers: Headers;
  try {
    const limits = rates.map(({ limit }) => limit);
    headers = await takeRates(limiter, caller, rates, { limits, dialect: call.client?.id });
  } catch (error) {
    if (isWorthNoting(error)) noteRefusal(relay, call, error);
    throw error;
  }
  const tokens = rates.find(({ limit }) => limit.kind === "tokens")?.limit;
  if (tokens === undefined) return { headers, call };
  return { headers, call: { ...call, used: (count) => limiter.giveBack(ownerOf(caller), tokens, count) } };
}
