import Fastify from "fastify";
import { afterAll, beforeAll, expect, it } from "vitest";
import { buildConsole, type TestConsole } from "#test/console.ts";
import { consoleRoutes } from "./index.ts";

/**
 * Who may call each route of the management API, in `route-access.txt`. Other tests check that a route follows its
 * declaration; this one shows every change of a declaration in a review. `vitest -u` writes the list.
 */
let site: TestConsole;
beforeAll(async () => {
  site = await buildConsole();
});
afterAll(() => site.close());

it("the callers of every route are those in the list", async () => {
  const app = Fastify();
  const lines: string[] = [];
  app.addHook("onRoute", ({ method, url, config }) => {
    if (config?.access === undefined) return;
    const { access, permission = "", level = "" } = config;
    for (const each of [method].flat())
      if (each !== "HEAD" && each !== "OPTIONS")
        lines.push(`${each} ${url}: ${[access, permission, level].filter(Boolean).join(" ")}`);
  });
  await app.register(consoleRoutes, { services: site.services });
  await app.ready();
  await app.close();
  const list = [...new Set(lines)].toSorted().join("\n");
  await expect(`${list}\n`).toMatchFileSnapshot("./route-access.txt");
});
