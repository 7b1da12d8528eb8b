import compress from "@fastify/compress";
import helmet from "@fastify/helmet";
import fastify, { type FastifyInstance } from "fastify";
import { consoleRoutes } from "#console/index.ts";
import type { Services as ConsoleServices } from "#console/services.ts";
import type { Metrics } from "#platform/metrics/metrics.ts";
import { countAnswers, type SiteBasics } from "./app.ts";
import { serveWeb } from "./web.ts";

export interface SiteOptions {
  /** Without leading and trailing slashes. */
  basePath: string;
  console: ConsoleServices;
  metrics: Pick<Metrics, "consoleAnswer">;
  /** Closes what only the console uses. */
  close(): Promise<void>;
}

/** Builds the app of the console and the site. It has no port: the server hands requests over to it. */
export async function buildSite(
  { basePath, console: services, metrics, close }: SiteOptions,
  basics: SiteBasics,
): Promise<FastifyInstance> {
  const app = fastify({ ...basics, return503OnClosing: false });
  // Bodies are read only if a scope defines how, so a path without a handler costs no more than its headers.
  app.removeAllContentTypeParsers();
  app.addContentTypeParser("*", (_request, _payload, done) => done(null));
  await app.register(helmet, {
    contentSecurityPolicy: contentPolicy(services),
    crossOriginEmbedderPolicy: false,
    // The proxy in front decides whether this host is permanently on https.
    strictTransportSecurity: false,
  });
  await app.register(compress, { threshold: 1_024 });
  countAnswers(app, metrics);
  app.addHook("onClose", close);
  await consoleRoutes(app, { services, basePath });
  await serveWeb(app, basePath, services.settings);
  await app.ready();
  return app;
}

/**
 * Allows only resources of this origin, and no inline content except styles. Images may come from URLs in the
 * operator's texts. The visitor check is on another host, which is allowed only while the operator enables
 * it.
 */
function contentPolicy({ settings }: Pick<ConsoleServices, "settings">) {
  const visitorCheck = () =>
    settings.current().TurnstileCheckEnabled ? "https://challenges.cloudflare.com" : "'self'";
  return {
    useDefaults: false,
    directives: {
      defaultSrc: ["'self'"],
      scriptSrc: ["'self'", visitorCheck],
      styleSrc: ["'self'", "'unsafe-inline'"],
      imgSrc: ["'self'", "data:", "blob:", "https:"],
      fontSrc: ["'self'", "data:"],
      connectSrc: ["'self'"],
      // The operator's chat clients and home page, both in sandboxed frames.
      frameSrc: ["'self'", "https:", "http:"],
      // Songs and videos stay on their providers' hosts.
      mediaSrc: ["'self'", "data:", "blob:", "https:"],
      objectSrc: ["'none'"],
      baseUri: ["'self'"],
      frameAncestors: ["'self'"],
      formAction: ["'self'"],
    },
  };
}
