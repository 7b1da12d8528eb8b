import { audit, describeAudit, keepAudit } from "#domain/ledger/audit.ts";
import type { Job } from "./job.ts";

/** Recomputes every balance at night and keeps the outcome. A drift is a failure, so that someone hears of it. */
export const auditBalances: Job = {
  name: "audit-balances",
  every: "37 3 * * *",
  async run({ pool }) {
    const outcome = await audit(pool);
    await keepAudit(pool, outcome);
    if (outcome.drift !== 0n) throw new Error(describeAudit(outcome));
  },
};
