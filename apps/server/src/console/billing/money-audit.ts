import { AuditRun } from "@gateway/shared/billing/money-audit";
import { z } from "zod";
import { answers, type ConsoleApp, ok } from "#console/answer.ts";
import type { Services } from "#console/services.ts";
import { audit, listAudits, storeAudit } from "#domain/ledger/balances/audit.ts";

const SHOWN = 30;

/** Routes for the audits of all balances, for administrators: the nightly ones, and one on request. */
export function moneyAuditRoutes(app: ConsoleApp, { db, pool }: Services): void {
  const config = { access: "admin", permission: "analytics" } as const;

  app.get(
    "/analytics/audit",
    {
      config,
      schema: {
        summary: "Get the result of the last audit of balances",
        response: answers(z.array(AuditRun)),
      },
    },
    async () => ok(await listAudits(db, SHOWN)),
  );

  app.post(
    "/analytics/audit",
    {
      // The audit reads every roll-up.
      config: { ...config, rateLimit: { max: 5, timeWindow: 60_000 } },
      schema: { summary: "Recompute all balances and compare them", response: answers(z.array(AuditRun)) },
    },
    async () => {
      await storeAudit(pool, await audit(pool));
      return ok(await listAudits(db, 1));
    },
  );
}
