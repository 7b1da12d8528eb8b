import { defineConfig } from "vitest/config";
import { helpPages } from "./help-pages.ts";
import { settingsDefaults } from "./settings-defaults.ts";
import { splitMessages } from "./split-messages.ts";

export default defineConfig({
  plugins: [splitMessages(import.meta.dirname), helpPages(), settingsDefaults()],
  test: { include: ["*.test.ts", "src/**/*.test.{ts,tsx}"] },
});
