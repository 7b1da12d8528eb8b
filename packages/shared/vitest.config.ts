import { defineConfig } from "vitest/config";

export default defineConfig({
  // Schemas and constants: what they promise is mostly tested where it is used.
  test: {
    include: ["src/**/*.test.ts"],
    setupFiles: "../../apps/server/test/fast-check.ts",
    passWithNoTests: true,
    // The tests take less time than the start of a worker: one thread runs all files and loads each module once.
    isolate: false,
    pool: "threads",
    maxWorkers: 1,
  },
});
