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
    async close() {
      await site.close();
      await database.drop();
    },
  };
}
