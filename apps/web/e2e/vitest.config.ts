import { defineConfig } from "vitest/config";

/** Journeys in a real browser against the real gateway. They need a built console: `pnpm -F @gateway/web build`. */
export default defineConfig({
  test: {
    include: ["e2e/**/*.test.ts"],
    // One Postgres for all; every file has a copy of its migrated, empty database.
    globalSetup: "../server/test/setup.ts",
    testTimeout: 120_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 30_000 } },
    // Each file has a gateway, a database and a browser of its own; more than two at once only slow each other down.
    maxWorkers: 2,
    // A worker loads what drives the browser once and runs file after file.
    isolate: false,
  },
});
