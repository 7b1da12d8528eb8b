import { internalError } from "#errors.ts";

/** Points of one movement at most: amounts travel as JSON numbers. */
export const largestAmount = BigInt(Number.MAX_SAFE_INTEGER);

/** Throws `internal` unless so many points can be reserved or charged. */
export function checkAmount(amount: bigint): void {
  if (amount < 0n || amount > largestAmount) {
    throw internalError(new Error(`An amount of ${amount} points cannot be reserved or charged.`));
  }
}
