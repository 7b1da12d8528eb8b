import { fileURLToPath } from "node:url";
import { onTestFinished, TestRunner } from "vitest";
import { installedDatabase } from "../../../server/test/database.ts";
import { bundledMain } from "../../../server/test/gateway-process.ts";
import { type Installation, install } from "./installation.ts";

export type Site = Installation;

const localMain = fileURLToPath(new URL("../../../server/test/local-main.ts", import.meta.url));

/**
 * Starts an installation for one test file, with its own database.
 * @param env further settings of the process
 * @param local allows the gateway to call addresses on this machine, for a local payment gateway
 */
export async function openSite(env: Record<string, string> = {}, local = false): Promise<Site> {
  const database = await installedDatabase();
  // A worker uses one browser for all of its files.
  const site = await install({ DATABASE_URL: database.url, ...env }, local ? localMain : bundledMain, true);
  return {
    ...site,
    async open(path, options) {
      const page = await site.open(path, options);
      // An open window keeps sending requests, and would slow down all following tests.
      if (TestRunner.getCurrentTest() !== undefined) onTestFinished(() => page.context().close());
      return page;
    },
    async close() {
      await site.close();
      await database.drop();
    },
  };
}
