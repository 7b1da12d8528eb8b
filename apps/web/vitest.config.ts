import { defineConfig } from "vitest/config";
import { helpPages } from "./help-pages.ts";
import { settingsDefaults } from "./settings-defaults.ts";

export default defineConfig({
  plugins: [helpPages(), settingsDefaults()],
  test: {
    include: ["src/**/*.test.{ts,tsx}"],
    // Loading modules takes longer than the tests: workers load each module once. Each test sets what it needs.
    isolate: false,
    pool: "threads",
  },
});
