import fc from "fast-check";
import { runs } from "./property-runs.ts";

/**
 * Set-up of every test file. A property test looks at the same values in every run, so that no seed that was unlucky
 * refuses a change that has nothing to do with it; `pnpm fuzz` searches with seeds and runs of its own.
 * `FAST_CHECK_SEED` is a number, as a failure prints it, or `random`.
 */
const seed = process.env["FAST_CHECK_SEED"] ?? "1";
fc.configureGlobal({ numRuns: runs(100), ...(seed === "random" ? {} : { seed: Number(seed) }) });
