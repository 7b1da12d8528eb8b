import { defineConfig } from "vitest/config";

/** Browser tests against the real gateway. They need a built console: `pnpm -F @gateway/web build`. */
export default defineConfig({
  test: {
    include: ["e2e/**/*.test.ts"],
    // One Postgres for all files. Each has its own copy of the migrated, empty database.
    globalSetup: "../server/test/setup.ts",
    testTimeout: 120_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 30_000 } },
    // Each file has its own gateway, database and browser. More than two at once only slow each other down.
    maxWorkers: 2,
    // A worker loads the browser driver once and runs several files.
    isolate: false,
  },
});
