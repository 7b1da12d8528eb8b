/** Credit and usage of a key, at the two paths where chat apps request them. */
import type { FastifyInstance } from "fastify";
import { creditOf } from "#domain/tokens/credit.ts";
import { accessOf } from "#gateway/access/access.ts";
import type { GatewayServices } from "#gateway/services.ts";

const CENTS = 100;

export function creditRoutes(app: FastifyInstance, services: GatewayServices): void {
  const displayAmount = (points: bigint) => {
    const { DisplayInCurrencyEnabled, QuotaPerUnit } = services.relay.settings.current();
    return DisplayInCurrencyEnabled ? Number(points) / QuotaPerUnit : Number(points);
  };

  const pointsPerUsd = () => services.relay.settings.current().QuotaPerUnit;

  for (const prefix of ["", "/v1"]) {
    app.get(`${prefix}/dashboard/billing/subscription`, async (request) => {
      const { caller } = accessOf(request);
      const { left, used } = await creditOf(services.db, caller, pointsPerUsd());
      const most = displayAmount(left + used);
      return {
        object: "billing_subscription",
        has_payment_method: true,
        soft_limit_usd: most,
        hard_limit_usd: most,
        system_hard_limit_usd: most,
        access_until: caller.expiresAt === undefined ? 0 : Math.floor(caller.expiresAt / 1_000),
      };
    });

    app.get(`${prefix}/dashboard/billing/usage`, async (request) => {
      const { caller } = accessOf(request);
      const { used } = await creditOf(services.db, caller, pointsPerUsd());
      return { object: "list", total_usage: displayAmount(used) * CENTS };
    });
  }
}
