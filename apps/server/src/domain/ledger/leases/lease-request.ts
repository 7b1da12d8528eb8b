/**
 * What a batch wants of a lease, and what it gets. A lease is a row of `reservations` that belongs to no call: points
 * that a node has reserved for the next calls of one key, so that these begin without a statement. Only its
 * own node changes it, in batches of one shard, and each batch names the version that it read. A batch that
 * took effect although its response was lost therefore cannot take effect again.
 */
import { readStatement } from "#platform/database/prepared-statement.ts";

/** A batch's request for one lease. */
export interface LeaseRequest {
  id: string;
  /** Version that the node knows; 0 for a lease that does not exist yet. */
  version: number;
  user_id: number;
  token_id: number;
  /** The lease also counts against the token's own quota. */
  limited: boolean;
  /** Points to keep when the lease is given back, for its open calls. Null while it stays active. */
  keep: string | null;
  /** Points to top up to; 0 only books its charges; null while it has enough. */
  target: string | null;
  /** Minimum points for a new lease to be useful. */
  smallest: string;
}

/**
 * Result for one lease, with its current points. `stale` means that its key is no longer eligible.
 * `denied` means that there is no such lease. A lease without a row has another version or is gone.
 */
export interface LeaseRow {
  ord: number;
  verdict: "lease" | "stale" | "denied";
  most: bigint;
}

export const findLeasesStatement = readStatement(import.meta.url, "find-leases.sql");
