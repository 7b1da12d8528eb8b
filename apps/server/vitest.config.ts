import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["src/**/*.test.ts", "test/**/*.test.ts"],
    // Prisma's schema engine is WebAssembly, which Node still calls experimental.
    execArgv: ["--disable-warning=ExperimentalWarning"],
    globalSetup: "test/setup.ts",
    testTimeout: 20_000,
    hookTimeout: 60_000,
  },
});
