import { readStatement } from "#platform/database/prepared-statement.ts";

/** The statements of batches in which calls end within leases, and nothing else happens. */
export const settleInLeasesStatement = readStatement(import.meta.url, "settle-in-leases.sql");
/** The same for a batch of one call. */
export const settleCallInLeaseStatement = readStatement(import.meta.url, "settle-call-in-lease.sql");
