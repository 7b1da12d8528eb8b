import { defineConfig } from "vitest/config";
import { common } from "./vitest.config.ts";

/**
 * The long and exhaustive tests, `*.verify.test.ts`: real times of nodes and time-outs, chaos, databases of
 * other products. `pnpm verify:<subject>` runs those of one subject.
 */
export default defineConfig({
  test: {
    ...common,
    globalSetup: "test/run/setup.ts",
    maxWorkers: 2,
    testTimeout: 300_000,
    include: ["src/**/*.verify.test.ts", "test/**/*.verify.test.ts"],
  },
});
