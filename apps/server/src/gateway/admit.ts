import type { GroupsInForce } from "#domain/accounts/groups-in-force.ts";
import type { Limit, Take } from "#domain/limits/levels.ts";
import type { Limiter } from "#domain/limits/take.ts";
import type { Caller } from "#domain/tokens/callers.ts";
import { GatewayError, invalidKey } from "#errors.ts";
import type { Call } from "#relay/call.ts";
import { noteRefusal } from "#relay/relay.ts";
import type { GatewayServices } from "./services.ts";

/**
 * Rates of the owner's group and of the token. Requests are counted before the body is read, tokens once it is known
 * how many a call may use.
 */

interface Rated {
  limit: Limit;
  /** Says whose limit it is, and which. */
  sentence: string;
}

function requestRates(groups: GroupsInForce, caller: Caller): Rated[] {
  const group = groups.get(caller.userGroup);
  if (group === undefined) throw invalidKey();
  const rates: Rated[] = [
    {
      limit: { key: "account", kind: "requests", perMinute: group.apiRate, cost: 1 },
      sentence: `This account may send ${group.apiRate} requests per minute.`,
    },
  ];
  const { requests_per_minute: perMinute } = caller.setting.rates;
  if (perMinute > 0)
    rates.push({
      limit: { key: `token${caller.tokenId}`, kind: "requests", perMinute, cost: 1 },
      sentence: `This API key may send ${perMinute} requests per minute.`,
    });
  return rates;
}

function tokenRates({ tokenId, setting }: Caller, tokens: number): Rated[] {
  const { tokens_per_minute: perMinute } = setting.rates;
  if (perMinute <= 0) return [];
  return [
    {
      limit: { key: `token${tokenId}-tokens`, kind: "tokens", perMinute, cost: tokens },
      sentence: `This API key may use ${perMinute} tokens per minute, input and output together.`,
    },
  ];
}

const ownerOf = (caller: Caller) => `user${caller.userId}`;

class RateRefusal extends GatewayError {
  /** Whether the log should hear of it. */
  readonly worthNoting: boolean;

  constructor({ sentence }: Rated, take: Take, headers: Record<string, string>, worthNoting: boolean) {
    super("rate_limited", sentence, { retryAfter: Math.max(1, take.resetSeconds), headers });
    this.worthNoting = worthNoting;
  }
}

async function takeRates(limiter: Limiter, caller: Caller, rates: Rated[]): Promise<Record<string, string>> {
  const limits = rates.map(({ limit }) => limit);
  const asked = limiter.take(ownerOf(caller), limits);
  const { allowed, takes, worthNoting } = asked instanceof Promise ? await asked : asked;
  const headers = rateHeaders(limits, takes);
  if (allowed) return headers;
  // The one that keeps the client waiting longest.
  const waits = takes.map((take) => (take.allowed ? -1 : take.resetSeconds));
  const index = waits.indexOf(Math.max(...waits));
  const [rate, take] = [rates[index], takes[index]];
  if (rate === undefined || take === undefined) throw invalidKey();
  throw new RateRefusal(rate, take, headers, worthNoting);
}

/** Of two limits of requests the client hears of the one that it meets first. */
function rateHeaders(limits: readonly Limit[], takes: readonly Take[]): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const kind of ["requests", "tokens"] as const) {
    const [tightest] = takes
      .filter((_, index) => limits[index]?.kind === kind)
      .sort((one, other) => one.remaining - other.remaining);
    if (tightest === undefined) continue;
    headers[`x-ratelimit-limit-${kind}`] = String(tightest.limit);
    headers[`x-ratelimit-remaining-${kind}`] = String(tightest.remaining);
    headers[`x-ratelimit-reset-${kind}`] = `${tightest.resetSeconds}s`;
  }
  return headers;
}

/** One request, whatever it is. Throws rate_limited; the headers tell every client where it stands. */
export async function takeRequest(
  limiter: Limiter,
  groups: GroupsInForce,
  caller: Caller,
): Promise<Record<string, string>> {
  return takeRates(limiter, caller, requestRates(groups, caller));
}

/** Whether the log should have a row of this refusal. */
export function isWorthNoting(error: unknown): error is GatewayError {
  return error instanceof RateRefusal && error.worthNoting;
}

/**
 * The most tokens that a call can use; what it did not use is given back with its bill. Throws rate_limited, and the
 * log has a row of it. Returns the headers, and the call as the relay shall have it.
 */
export async function admit<C extends Call>(
  services: GatewayServices,
  call: C,
): Promise<{ headers: Record<string, string>; call: C }> {
  return admitAll(services, call, tokenRates(call.caller, call.estimate.input + call.estimate.output));
}

/** The same for a call that no request of its own announced: it counts as a request, too. */
export async function admitUnannounced<C extends Call>(services: GatewayServices, call: C): Promise<C> {
  const { caller, estimate } = call;
  const rates = [
    ...requestRates(services.relay.groups, caller),
    ...tokenRates(caller, estimate.input + estimate.output),
  ];
  return (await admitAll(services, call, rates)).call;
}

async function admitAll<C extends Call>(
  { limiter, relay }: GatewayServices,
  call: C,
  rates: Rated[],
): Promise<{ headers: Record<string, string>; call: C }> {
  if (rates.length === 0) return { headers: {}, call };
  const { caller } = call;
  let headers: Record<string, string>;
  try {
    headers = await takeRates(limiter, caller, rates);
  } catch (error) {
    if (isWorthNoting(error)) noteRefusal(relay, call, error);
    throw error;
  }
  const tokens = rates.find(({ limit }) => limit.kind === "tokens")?.limit;
  if (tokens === undefined) return { headers, call };
  return { headers, call: { ...call, used: (count) => limiter.giveBack(ownerOf(caller), tokens, count) } };
}
