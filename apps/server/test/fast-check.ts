import fc from "fast-check";
import { runs } from "./property-runs.ts";

/**
 * Set-up of every test file. Property tests use the same seed in every run, so that an unlucky seed does not
 * fail an unrelated change. `pnpm fuzz` uses other seeds and more runs. `FAST_CHECK_SEED` is a number, as
 * failures print it, or `random`.
 */
const seed = process.env["FAST_CHECK_SEED"] ?? "1";
fc.configureGlobal({ numRuns: runs(100), ...(seed === "random" ? {} : { seed: Number(seed) }) });
