/**
 * `GET /v1/usage`: what a key may still spend, in US dollars. Fields as cc-switch and other programs read them: `remaining`,
 * `used`, `total` and `unit` are of the limit with the least left.
 */
import type { FastifyInstance } from "fastify";
import { readRemaining, type RemainingLimit } from "#domain/budgets/remaining.ts";
import { type Credit, creditOf } from "#domain/tokens/credit.ts";
import { accessOf } from "#gateway/access/access.ts";
import type { GatewayServices } from "#gateway/services.ts";

/** The second path is that of cc-switch's general template. */
const paths = ["/v1/usage", "/v1/user/balance", "/user/balance"];

export function usageRoutes(app: FastifyInstance, { db, relay }: GatewayServices): void {
  for (const path of paths)
    app.get(path, async (request, reply) => {
      const { caller } = accessOf(request);
      const { TimeZone, QuotaPerUnit } = relay.settings.current();
      const all = await readRemaining(db, caller, TimeZone);
      const limits =
        caller.derived === undefined
          ? all
          : limitsOfDerivedKey(all, await creditOf(db, caller, QuotaPerUnit));
      const shown = limits.map((limit) => inDollars(limit, QuotaPerUnit));
      const [least] = limits;
      const first = inDollars(least, QuotaPerUnit);
      const balance = shown.find(({ type }) => type === "balance")?.remaining;
      return reply.header("cache-control", "no-store").send({
        object: "usage",
        isValid: true,
        is_active: true,
        planName: nameOf(least),
        remaining: first.remaining,
        used: first.used,
        total: first.limit,
        balance,
        unit: "USD",
        currency: "USD",
        text: textOf(least, first),
        limits: shown,
      });
    });
}

/** Returns what a derived key may still spend. The limits of its account are not for whoever has it. */
function limitsOfDerivedKey(
  [least]: readonly [RemainingLimit, ...RemainingLimit[]],
  { left, used }: Credit,
): [RemainingLimit] {
  const remaining = Math.min(Number(left), least.remaining);
  return [{ kind: "quota", scope: "key", used: Number(used), limit: Number(used) + remaining, remaining }];
}

function inDollars({ kind, scope, used, limit, remaining, resetsAt }: RemainingLimit, perUsd: number) {
  return {
    type: kind,
    scope,
    used: roundDollars(used / perUsd),
    limit: roundDollars(limit / perUsd),
    remaining: roundDollars(remaining / perUsd),
    resets_at: resetsAt === undefined ? null : new Date(resetsAt * 1_000).toISOString(),
  };
}

const microdollars = 1_000_000;

function roundDollars(dollars: number): number {
  return Math.round(dollars * microdollars) / microdollars;
}

const names: Record<RemainingLimit["kind"], string> = {
  balance: "Balance",
  quota: "Key quota",
  day: "Daily limit",
  week: "Weekly limit",
  month: "Monthly limit",
};

function nameOf({ kind, scope }: RemainingLimit): string {
  return kind === "balance" || kind === "quota" || scope === "account"
    ? names[kind]
    : `${names[kind]} of the key`;
}

const periods = { day: " today", week: " this week", month: " this month" };

/** Returns a short text for a status line. */
function textOf(
  { kind }: RemainingLimit,
  { remaining, limit }: { remaining: number; limit: number },
): string {
  const left = `$${remaining.toFixed(2)}`;
  if (kind === "balance") return `${left} left`;
  return `${left} of $${limit.toFixed(2)} left${kind === "quota" ? "" : periods[kind]}`;
}
