/** How many times as many runs as usual every property test makes: `FAST_CHECK_RUNS`, 1 unless `pnpm fuzz` says more. */
export const runsFactor = Math.max(1, Number(process.env["FAST_CHECK_RUNS"] ?? 1) || 1);

/** The runs of a property test that usually makes `usual` of them; other property tests make 100. */
export function runs(usual: number): number {
  return Math.ceil(usual * runsFactor);
}
