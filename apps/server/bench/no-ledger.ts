/**
 * A ledger that reserves, charges and writes nothing. `without-ledger.ts` replaces the real one with it, to
 * measure the real one's cost.
 */
import type { Ledger } from "../src/domain/ledger/ledger.ts";

export function createLedger(): Ledger {
  return {
    reserve: async () => {},
    raise: async () => {},
    settle: async () => "settled",
    handedOver: () => {},
    checkpoint: async () => {},
    recall: async () => {},
    note: async () => {},
    trouble: () => undefined,
    start: async () => {},
    close: async () => {},
  };
}
