import type { Logger } from "pino";
import type { Env } from "#env.ts";

interface Listening {
  url: string;
  setupToken?: string | undefined;
}

/** Says where the gateway listens, and how the first administrator is created. */
export function announce(env: Env, log: Logger, { url, setupToken }: Listening): void {
  log.info(`Listening on ${url}`);
  if (setupToken === undefined) return;
  const path = `${env.basePath === "" ? "" : `/${env.basePath}`}/setup?token=${setupToken}`;
  // One plain line, whatever the format and level of the log, so that it can be read and copied. In production the
  // address people use is not known here, for example behind a published port.
  const line =
    env.NODE_ENV === "production"
      ? `No administrator exists yet. Open this path at the address of this server to create one: ${path}`
      : `No administrator exists yet. Open this link to create one: ${new URL(path, url).href}`;
  process.stdout.write(`${line}\n`);
}
