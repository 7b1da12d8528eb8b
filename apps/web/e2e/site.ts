import { onTestFinished, TestRunner } from "vitest";
import { freshDatabase } from "../../server/test/database.ts";
import { type Installation, install } from "./installation.ts";

export type Site = Installation;

/**
 * An installation for one test file, on a database that no other file sees.
 * @param env further settings of the process
 */
export async function openSite(env: Record<string, string> = {}, local = false): Promise<Site> {
  const database = await freshDatabase();
  const site = await install({ DATABASE_URL: database.url, ...env }, local);
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
