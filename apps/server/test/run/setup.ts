import { compileCache } from "#test/gateway-process.ts";
import { startSharedServices } from "./shared-services.ts";

/** Runs once per test run, of Vitest and of Playwright. Workers inherit the environment. */
export default async function setup(): Promise<() => Promise<void>> {
  const { postgresUrl, redisUrl, stop } = await startSharedServices();
  process.env["TEST_POSTGRES_URL"] = postgresUrl;
  process.env["TEST_REDIS_URL"] = redisUrl;
  process.env["NODE_COMPILE_CACHE"] ??= compileCache;
  return stop;
}
