import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import fastifyStatic from "@fastify/static";
import type { FastifyInstance } from "fastify";

/**
 * The console and the public site: built files of apps/web, and for every other address the page that loads them.
 * The page learns here under which path it is mounted.
 */
const dist = fileURLToPath(new URL("../../web/dist", import.meta.url));

const YEAR_SECONDS = 31_536_000;

export async function serveWeb(app: FastifyInstance, basePath: string): Promise<void> {
  const prefix = basePath === "" ? "/" : `/${basePath}/`;
  const page = await readFile(join(dist, "index.html"), "utf8").catch(() => undefined);
  if (page === undefined) {
    app.get(prefix, (_request, reply) =>
      reply.type("text/plain").send("The console is not built. Run `pnpm -F @gateway/web build`."),
    );
    return;
  }
  const mounted = page.replace(/<base href="[^"]*"/, `<base href="${prefix}"`);
  await app.register(fastifyStatic, {
    root: dist,
    prefix,
    index: false,
    wildcard: false,
    // Compressed by the build, better than there is time for here.
    preCompressed: true,
    setHeaders(reply, path) {
      // Names of built files carry their content's hash.
      const cache = path.includes("/assets/") ? `public, max-age=${YEAR_SECONDS}, immutable` : "no-cache";
      reply.header("cache-control", cache);
    },
  });
  // Every other address is the page's own: it knows its screens, and says so when there is none.
  app.setNotFoundHandler((request, reply) => {
    if (request.method !== "GET" && request.method !== "HEAD") return reply.code(404).send();
    // A page in place of a script of an older version would only confuse the browser that asks for it.
    if (request.url.startsWith(`${prefix}assets/`)) return reply.code(404).send();
    return reply.type("text/html; charset=utf-8").header("cache-control", "no-cache").send(mounted);
  });
}
