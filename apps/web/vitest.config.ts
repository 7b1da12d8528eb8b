import { defineConfig } from "vitest/config";
import { splitMessages } from "./split-messages.ts";

export default defineConfig({
  plugins: [splitMessages(import.meta.dirname)],
  test: { include: ["src/**/*.test.{ts,tsx}"] },
});
