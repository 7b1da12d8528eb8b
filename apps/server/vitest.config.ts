import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["src/**/*.test.ts", "test/**/*.test.ts"],
    // Prisma's schema engine is WebAssembly, which Node still calls experimental.
    execArgv: ["--disable-warning=ExperimentalWarning"],
    globalSetup: "test/setup.ts",
    setupFiles: "test/fast-check.ts",
    // Much of the time is waiting for time-outs and restarts; two files share what one leaves idle.
    maxWorkers: 2,
    // What has to happen soon may take its time on a busy machine: only what never comes may end a test.
    testTimeout: 60_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 20_000 } },
  },
});
