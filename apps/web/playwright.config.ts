import { defineConfig } from "@playwright/test";
import { browserFlags, browserPath } from "./e2e/support/browser.ts";

/** Examines every screen, menu, tooltip and dialog in every language: `pnpm verify:screens`. Takes half an hour. */
const verify = {
  name: "verify",
  testMatch: "verify/**/*.test.ts",
  use: { viewport: { width: 1440, height: 900 }, colorScheme: "light" as const },
};

/** Browser tests against the real gateway, with the system's Chromium: `pnpm e2e`. */
export default defineConfig({
  testDir: "e2e",
  testMatch: "**/*.test.ts",
  globalSetup: "../server/test/run/setup.ts",
  outputDir: "test-results",
  // Each worker has its own gateway and browser. More than two on two cores only slow each other down.
  workers: 2,
  timeout: 120_000,
  expect: { timeout: 30_000 },
  forbidOnly: process.env["CI"] !== undefined,
  // A failed test is repeated once with a trace, which takes half as long again. If it passes then, the report names it
  // as unstable. The nightly run does not repeat.
  retries: 1,
  reporter: [["list"]],
  use: {
    locale: "en-US",
    // Elements are clicked when they no longer move. With reduced motion that is immediately.
    contextOptions: { reducedMotion: "reduce" },
    permissions: ["clipboard-read", "clipboard-write"],
    actionTimeout: 30_000,
    navigationTimeout: 30_000,
    launchOptions: { executablePath: browserPath(), args: browserFlags },
    screenshot: "only-on-failure",
    trace: "on-first-retry",
  },
  projects: [
    // First, because it has the longest test. Started last, it would run beside an idle worker.
    {
      name: "phone",
      testMatch: "phone/**/*.test.ts",
      use: {
        viewport: { width: 390, height: 844 },
        isMobile: true,
        hasTouch: true,
        colorScheme: "light",
      },
    },
    {
      name: "desktop",
      testIgnore: ["phone/**", "dark/**", "verify/**"],
      use: { viewport: { width: 1440, height: 900 }, colorScheme: "light" },
    },
    {
      name: "dark",
      testMatch: "dark/**/*.test.ts",
      use: { viewport: { width: 1440, height: 900 }, colorScheme: "dark" },
    },
    ...(process.env["VERIFY_SCREENS"] === "1" ? [verify] : []),
  ],
});
