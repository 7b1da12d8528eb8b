import { defineConfig } from "vitest/config";
import common from "./vitest.config.ts";

/** What is too long for a normal run: `vitest run --config vitest.verify.config.ts`. */
export default defineConfig({ ...common, test: { ...common.test, include: ["*.verify.test.ts"] } });
