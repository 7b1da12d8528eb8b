import { defineConfig } from "vitest/config";
import { SlowFilesFirst } from "./test/slow-files-first.ts";

/**
 * Each of these has its process for itself: they measure memory, set the clock, or break what a process has only once.
 */
const alone = [
  "test/faults/**/*.test.ts",
  "test/project/**/*.test.ts",
  "test/relay/uploads.test.ts",
  "src/platform/**/*.test.ts",
  "src/start/**/*.test.ts",
];

const common = {
  // Prisma's schema engine is WebAssembly, which Node still calls experimental.
  execArgv: ["--disable-warning=ExperimentalWarning"],
  setupFiles: "test/fast-check.ts",
  // What has to happen soon may take its time on a busy machine: only what never comes may end a test.
  testTimeout: 60_000,
  hookTimeout: 120_000,
  expect: { poll: { timeout: 20_000 } },
};

export default defineConfig({
  test: {
    globalSetup: "test/setup.ts",
    // The browser tests run at the same time: a third worker on two cores only makes tests wait for the processor.
    maxWorkers: 2,
    sequence: { sequencer: SlowFilesFirst },
    projects: [
      { test: { ...common, name: "alone", include: alone } },
      {
        test: {
          ...common,
          name: "together",
          include: ["src/**/*.test.ts", "test/**/*.test.ts"],
          exclude: alone,
          // Loading the gateway takes longer than most files do: a worker loads it once and runs file after file.
          isolate: false,
        },
      },
    ],
  },
});
