import { readFile } from "node:fs/promises";
import { join } from "node:path";
import fastifyStatic from "@fastify/static";
import { escapeHtml } from "@gateway/shared/escape-html";
import { lookupTable } from "@gateway/shared/lookup-table";
import type { Settings } from "@gateway/shared/site/settings";
import type { FastifyInstance } from "fastify";
import { z } from "zod";
import { accentMark, accentSheet } from "#domain/settings/accent.ts";
import { publicUrlOf } from "#domain/settings/public-url.ts";
import type { SettingsStore } from "#domain/settings/settings.ts";
import { answerOutsideApi } from "#gateway/http/answer-error.ts";
import { isPage } from "#gateway/http/request-url.ts";
import { root as repository } from "#platform/places.ts";

const built = join(repository, "apps/web/dist");

const YEAR_SECONDS = 31_536_000;

/**
 * Serves the console and the public site: the built files of apps/web, and their page for every other path.
 * Inserts the base path into the page.
 * @param dist folder of the built files
 */
export async function serveWeb(
  app: FastifyInstance,
  basePath: string,
  settings: Pick<SettingsStore, "current">,
  dist = built,
): Promise<void> {
  const root = basePath === "" ? "" : `/${basePath}`;
  const prefix = `${root}/`;
  const readPage = async () =>
    (await readFile(join(dist, "index.html"), "utf8")).replace(
      /<base href="[^"]*"/,
      `<base href="${prefix}"`,
    );
  const firstPage = await readPage().catch(() => undefined);
  if (firstPage === undefined) {
    app.setNotFoundHandler((request, reply) => answerOutsideApi(root, request, reply));
    app.get(prefix, (_request, reply) =>
      reply.type("text/plain").send("The console is not built. Run `pnpm -F @gateway/web build`."),
    );
    return;
  }
  const common = {
    index: false as const,
    // The build compresses the files better than is possible per request.
    preCompressed: true,
  };
  await app.register(fastifyStatic, {
    ...common,
    root: join(dist, "assets"),
    serve: false,
    setHeaders(reply) {
      // Names of built files contain a hash of their content.
      reply.header("cache-control", `public, max-age=${YEAR_SECONDS}, immutable`);
    },
  });
  // One route for the thousand built files: with a route for each, they took a quarter of the start, and the plugin's
  // wildcard reads the whole folder for each request.
  app.get<{ Params: { "*": string } }>(`${prefix}assets/*`, ({ params }, reply) =>
    reply.sendFile(params["*"]),
  );
  await app.register(fastifyStatic, {
    ...common,
    root: dist,
    prefix,
    // Every other path belongs to the page.
    wildcard: false,
    globIgnore: ["assets/**"],
    decorateReply: false,
    setHeaders(reply) {
      reply.header("cache-control", "no-cache");
    },
  });
  // Crawlers request the root of a host, wherever the site is mounted.
  for (const path of new Set(["/robots.txt", `${prefix}robots.txt`]))
    app.get(path, (_request, reply) => reply.type("text/plain; charset=utf-8").send(robots(prefix)));
  serveBrand(app, prefix, settings);
  // The page handles every other path, including unknown ones.
  app.setNotFoundHandler(async (request, reply) => {
    if (!isPage(request)) return answerOutsideApi(root, request, reply);
    // Return 404 for a missing asset of an older version: HTML instead of a script would confuse the browser.
    if (request.url.startsWith(`${prefix}assets/`)) return reply.code(404).send();
    const current = settings.current();
    const siteUrl = publicUrlOf(current, root);
    const path = (request.url.split("?")[0] ?? "").slice(root.length);
    // The address of a shared call is its secret, so search engines must not list it.
    if (path.startsWith("/share/")) void reply.header("x-robots-tag", "noindex");
    // A new build replaces the scripts that the page names. During the build, there is no page for a moment.
    const page = await readPage().catch(() => firstPage);
    return reply
      .type("text/html; charset=utf-8")
      .header("cache-control", "no-cache")
      .send(withHead(page, current, siteUrl, path));
  });
}

/**
 * Serves the files of the accent colour. Their address names the colour, so they never change. Only the site's
 * own colour is computed, once: it takes milliseconds, and anyone may request it.
 */
function serveBrand(app: FastifyInstance, prefix: string, settings: Pick<SettingsStore, "current">): void {
  let last = { accent: "", css: "", svg: "" };
  app.get(`${prefix}brand/:color.:kind`, (request, reply) => {
    const { AccentColor: accent } = settings.current();
    const file = BrandFile.safeParse(request.params).data;
    if (file === undefined || accent === "") return reply.code(404).send();
    if (last.accent !== accent) last = { accent, css: accentSheet(accent), svg: accentMark(accent) };
    // A page of another node may name the colour before or after a change. It gets the one that is known here.
    const isCurrent = accent === `#${file.color}`;
    reply.header("cache-control", isCurrent ? `public, max-age=${YEAR_SECONDS}, immutable` : "no-cache");
    return reply
      .type(file.kind === "css" ? "text/css; charset=utf-8" : "image/svg+xml; charset=utf-8")
      .send(last[file.kind]);
  });
}

const BrandFile = z.object({ color: z.string().regex(/^[\da-f]{6}$/), kind: z.enum(["css", "svg"]) });

/** Description of the site by language, for clients that read only the page's head. */
const descriptions = lookupTable<string>({
  zh_CN:
    "一个地址，接入所有 AI 模型。沿用现有的 SDK，换上地址和密钥即可使用各家厂商的模型，一个账号，一份账单。",
  zh_HK:
    "一個地址，連接所有 AI 模型。沿用現有的 SDK，換上地址和金鑰即可使用各家供應商的模型，一個帳戶，一份帳單。",
  en_US:
    "One address for every AI model. Keep the SDK you have, change the address and the key, and reach every provider through one account with one bill.",
  ja_JP:
    "すべての AI モデルを 1 つのアドレスで。今の SDK のまま、アドレスとキーを替えるだけ。1 つのアカウント、1 つの請求で各社のモデルを使えます。",
});

/** Pages that are public and may be indexed. */
const publicPaths = new Set(["/", "/about", "/connect", "/models", "/price", "/status"]);

/**
 * Adds the site's name and meta tags to the page before any script runs: for link previews, search engines
 * and tabs.
 */
function withHead(page: string, settings: Settings, siteUrl: string | undefined, path: string): string {
  const name = escapeHtml(settings.SystemName);
  const description = escapeHtml(descriptions[settings.Language] ?? "");
  const shown = publicPaths.has(path) || path.startsWith("/models/");
  // A wrong URL would mislead search engines, so there is none before it is configured.
  const address = siteUrl === undefined ? "" : escapeHtml(`${siteUrl}${path}`);
  const picture = escapeHtml(/^https?:/.test(settings.Logo) ? settings.Logo : "");
  const tags = [
    `<meta name="description" content="${description}" />`,
    `<meta property="og:type" content="website" />`,
    `<meta property="og:site_name" content="${name}" />`,
    `<meta property="og:title" content="${name}" />`,
    `<meta property="og:description" content="${description}" />`,
    picture === "" ? "" : `<meta property="og:image" content="${picture}" />`,
    shown && address !== ""
      ? `<meta property="og:url" content="${address}" /><link rel="canonical" href="${address}" />`
      : "",
    shown ? "" : `<meta name="robots" content="noindex" />`,
  ];
  const colored =
    settings.AccentColor === "" ? page : withAccent(page, `brand/${settings.AccentColor.slice(1)}`);
  // A function, because "$" in a replacement string has a special meaning.
  return colored
    .replace("<html", () => `<html lang="${settings.Language.replace("_", "-")}"`)
    .replace(/<title>[^<]*<\/title>/, () => `<title>${name}</title>${tags.join("")}`);
}

/** Adds the style sheet of the accent colour before the first paint, and the mark in that colour. */
function withAccent(page: string, file: string): string {
  return page
    .replace("</head>", `<link rel="stylesheet" href="${file}.css" data-accent />\n  </head>`)
    .replaceAll('"favicon.svg"', `"${file}.svg"`);
}

function robots(prefix: string): string {
  return ["User-agent: *", ...["panel", "api/", "v1"].map((path) => `Disallow: ${prefix}${path}`), ""].join(
    "\n",
  );
}
