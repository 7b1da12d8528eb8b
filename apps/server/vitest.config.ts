import { defineConfig } from "vitest/config";
import { SlowFilesFirst } from "./test/run/slow-files-first.ts";

/**
 * Each of these has its process for itself: they measure their own memory, or break what a process has only once.
 */
const alone = [
  "test/faults/long-streams.test.ts",
  "src/platform/memory/transient-*.test.ts",
  "src/platform/metrics/metrics.test.ts",
  "src/platform/key-sources/azure-identity.test.ts",
];

/** Long tests, which vitest.verify.config.ts runs. */
const verify = "**/*.verify.test.ts";

/**
 * Sources that Node loads itself, as in production. Vitest transforms the tests, and fixtures, which import whole folders.
 */
const loadedByNode = /\/(apps\/server\/(src|test)|packages\/\w+)\/.*(?<!\.(test|fixture))\.ts$/;

/** What all projects and vitest.verify.config.ts share. */
export const common = {
  // Prisma's schema engine is WebAssembly, which Node still calls experimental.
  execArgv: ["--disable-warning=ExperimentalWarning"],
  setupFiles: ["test/fast-check.ts", "test/run/idle-worker.ts"],
  server: { deps: { external: [loadedByNode] } },
  // What has to happen soon may take its time on a busy machine: only what never comes may end a test.
  testTimeout: 60_000,
  hookTimeout: 120_000,
  expect: { poll: { timeout: 20_000 } },
  tags: [{ name: "nightly", description: "the rest of long lists, and real times: pnpm verify:server" }],
};

export default defineConfig({
  test: {
    globalSetup: "test/run/setup.ts",
    // Tests wait for time limits and for other processes more than half of the time: two cores serve eight workers.
    maxWorkers: 8,
    sequence: { sequencer: SlowFilesFirst },
    projects: [
      { test: { ...common, name: "alone", include: alone, exclude: [verify] } },
      {
        test: {
          ...common,
          name: "together",
          include: ["src/**/*.test.ts", "test/**/*.test.ts"],
          exclude: [...alone, verify],
          // Loading the gateway takes longer than most files do: a worker loads it once and runs file after file.
          isolate: false,
        },
      },
    ],
  },
});
