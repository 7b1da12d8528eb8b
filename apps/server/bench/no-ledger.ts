/**
 * A ledger that holds, charges and writes nothing: what `without-ledger.ts` puts in the place of the real one, to
 * measure what the real one costs.
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
