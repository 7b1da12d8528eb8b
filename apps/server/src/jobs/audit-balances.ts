import { audit, describeAudit, storeAudit } from "#domain/ledger/balances/audit.ts";
import type { Job } from "./job.ts";

/**
 * Recomputes every balance each night and stores the result. A drift fails the job, so that administrators
 * are notified.
 */
export const auditBalances: Job = {
  name: "audit-balances",
  every: "37 3 * * *",
  async run({ pool }) {
    const outcome = await audit(pool);
    await storeAudit(pool, outcome);
    if (outcome.drift !== 0n) throw new Error(describeAudit(outcome));
  },
};
