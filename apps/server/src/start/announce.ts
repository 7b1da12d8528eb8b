import type { Logger } from "pino";
import type { Env } from "#env.ts";

interface Listening {
  url: string;
  setupToken?: string | undefined;
}

/** Logs the URL of the gateway, and prints the link that creates the first administrator. */
export function announce(env: Env, log: Logger, { url, setupToken }: Listening): void {
  log.info(`Listening on ${url}`);
  if (setupToken === undefined) return;
  const path = `${env.basePath === "" ? "" : `/${env.basePath}`}/setup?token=${setupToken}`;
  // A plain line, whatever the log's format and level, so that it can be copied. In production the public URL
  // is unknown, for example behind a published port.
  const line =
    env.NODE_ENV === "production"
      ? `No administrator exists yet. Open this path at the address of this server to create one: ${path}`
      : `No administrator exists yet. Open this link to create one: ${new URL(path, url).href}`;
  process.stdout.write(`${line}\n`);
}
