import { internalError } from "#errors.ts";

/** Maximum number of points per movement. Amounts are sent as JSON numbers. */
export const largestAmount = BigInt(Number.MAX_SAFE_INTEGER);

/** Throws `internal` unless this number of points can be reserved or charged. */
export function checkAmount(amount: bigint): void {
  if (amount < 0n || amount > largestAmount) {
    throw internalError(new Error(`An amount of ${amount} points cannot be reserved or charged.`));
  }
}
