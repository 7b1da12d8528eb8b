/**
 * A ledger that reserves, charges and writes nothing. `without-ledger.ts` replaces the real one with it, to
 * measure the real one's cost.
 */
import type { Ledger } from "../../src/domain/ledger/ledger.ts";

export function createLedger(): Ledger {
  return {
    load: () => ({ leases: 0, points: 0n, reserved: 0n, queued: 0, pending: 0 }),
    reserve: async () => {},
    openSession: async () => ({ id: 0, spent: 0n, reserved: 0n }),
    raise: async () => {},
    settle: async () => "settled",
    forgetCall: () => {},
    checkpoint: async () => {},
    recall: async () => {},
    logRefused: async () => {},
    trouble: () => undefined,
    start: async () => {},
    close: async () => {},
  };
}
