import { fileURLToPath } from "node:url";
import { onTestFinished, TestRunner } from "vitest";
import { installedDatabase } from "../../server/test/database.ts";
import { bundledMain } from "../../server/test/gateway-process.ts";
import { type Installation, install } from "./installation.ts";

export type Site = Installation;

const localMain = fileURLToPath(new URL("../../server/test/local-main.ts", import.meta.url));

/**
 * An installation for one test file, on a database that no other file sees.
 * @param env further settings of the process
 * @param local the gateway may call addresses on this machine, for a payment gateway that runs here
 */
export async function openSite(env: Record<string, string> = {}, local = false): Promise<Site> {
  const database = await installedDatabase();
  const site = await install({ DATABASE_URL: database.url, ...env }, local ? localMain : bundledMain);
  return {
    ...site,
    async open(path, options) {
      const page = await site.open(path, options);
      // An open window goes on asking the gateway, and would slow down every test after its own.
      if (TestRunner.getCurrentTest() !== undefined) onTestFinished(() => page.context().close());
      return page;
    },
    async close() {
      await site.close();
      await database.drop();
    },
  };
}
