/** Multiplier for the runs of every property test: `FAST_CHECK_RUNS`, by default 1. `pnpm fuzz` sets more. */
export const runsFactor = Math.max(1, Number(process.env["FAST_CHECK_RUNS"] ?? 1) || 1);

/** Returns the runs of a property test that usually makes `usual` of them. Other property tests make 100. */
export function runs(usual: number): number {
  return Math.ceil(usual * runsFactor);
}
