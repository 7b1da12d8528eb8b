import fc from "fast-check";

/** Multiplier for the runs of every property test: `FAST_CHECK_RUNS`, by default 1. `pnpm fuzz` sets more. */
export const runsFactor = Math.max(1, Number(process.env["FAST_CHECK_RUNS"] ?? 1) || 1);

/** Returns the runs of a property test that usually makes `usual` of them. Other property tests make 100. */
export function runs(usual: number): number {
  return Math.ceil(usual * runsFactor);
}

/**
 * Any Unicode character, as a unit of `fc.string`. The unit "binary" of fast-check costs two seconds of each
 * process that uses it.
 */
export const anyCharacter: fc.Arbitrary<string> = fc
  .integer({ min: 0, max: 0x10ffff - 0x800 })
  .map((number) => String.fromCodePoint(number < 0xd800 ? number : number + 0x800));
