/** The Postgres connection string: how it is built, and what to report when the server does not respond. */
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { isAmbiguous } from "#platform/connection-url.ts";
import { errorCodeOf } from "#platform/error-code.ts";

/**
 * Returns `url` with `password` inserted if the URL contains none. A separate password may contain any
 * character. Throws an Error that explains what to correct when the URL cannot be parsed.
 * @param variable name of the variable that contains the URL
 */
export function databaseUrl(url: string, password: string | undefined, variable = "DATABASE_URL"): string {
  if (isAmbiguous(url))
    throw new Error(
      `${variable} cannot be read. Percent-encode special characters in its password (@ is %40, # is %23, / is %2F), ` +
        "or leave the password out of the URL and set DATABASE_PASSWORD or DATABASE_PASSWORD_FILE.",
    );
  const address = new URL(url);
  if (address.password === "" && password !== undefined) address.password = encodeURIComponent(password);
  return address.href;
}

/**
 * Returns where a connection string points, without its password: `postgres:5432 (user "gateway", database
 * "gateway")`.
 */
export function describeDatabase(url: string): string {
  const { hostname, port, username, pathname } = new URL(url);
  const user = decodeURIComponent(username) || "(none)";
  const database = decodeURIComponent(pathname.slice(1)) || user;
  return `${hostname || "localhost"}:${port || "5432"} (user "${user}", database "${database}")`;
}

/**
 * Resolves as soon as Postgres accepts a connection. Waits for a server that is still starting, up to
 * `patienceMs`. Rejects with an Error that contains host, port, user and what to check, never the password.
 */
export async function waitForDatabase(
  url: string,
  { patienceMs, onWait }: { patienceMs: number; onWait: (reason: string) => void },
): Promise<void> {
  const giveUpAt = performance.now() + patienceMs;
  for (let tries = 0; ; tries += 1) {
    const error = await tryToConnect(url);
    if (error === undefined) return;
    const { reason, check, mayPass } = explain(error);
    if (!mayPass || performance.now() > giveUpAt)
      throw new Error(`Cannot connect to Postgres at ${describeDatabase(url)}: ${reason}. ${check}`);
    if (tries === 0) onWait(`Waiting for Postgres at ${describeDatabase(url)}: ${reason}.`);
    await sleep(Math.min(2_000, 200 * 2 ** tries));
  }
}

/** Resolves when Postgres accepts a connection within a second; rejects with the reason otherwise. */
export async function requireAnswer(url: string): Promise<void> {
  const error = await tryToConnect(url, 1_000);
  if (error !== undefined) throw error;
}

async function tryToConnect(url: string, timeoutMs = 5_000): Promise<unknown> {
  let client: pg.Client;
  try {
    // Reads the files that the URL names.
    client = new pg.Client({ connectionString: url, connectionTimeoutMillis: timeoutMs });
  } catch (error) {
    return error;
  }
  client.on("error", () => undefined);
  try {
    await client.connect();
    await client.end();
    return undefined;
  } catch (error) {
    await client.end().catch(() => undefined);
    return error ?? new Error("no reason given");
  }
}

interface Explanation {
  reason: string;
  check: string;
  /** True when the failure may pass: a starting server fails the same way for a while. */
  mayPass: boolean;
}

function explain(error: unknown): Explanation {
  switch (codeOf(error)) {
    case "ENOTFOUND":
    case "EAI_AGAIN":
      return {
        reason: "the host name is unknown",
        check: "Check the host in DATABASE_URL, and that this machine can look it up.",
        mayPass: true,
      };
    case "ECONNREFUSED":
      return {
        reason: "nothing listens there",
        check: "Check that Postgres runs, and the port in DATABASE_URL.",
        mayPass: true,
      };
    case "ENOENT":
    case "EACCES":
      return {
        reason: `the file ${fileOf(error)} cannot be read`,
        check: "Check sslrootcert, sslcert and sslkey in DATABASE_URL.",
        mayPass: false,
      };
    case "SELF_SIGNED_CERT_IN_CHAIN":
    case "DEPTH_ZERO_SELF_SIGNED_CERT":
    case "UNABLE_TO_VERIFY_LEAF_SIGNATURE":
    case "UNABLE_TO_GET_ISSUER_CERT":
    case "UNABLE_TO_GET_ISSUER_CERT_LOCALLY":
    case "CERT_SIGNATURE_FAILURE":
    case "CERT_HAS_EXPIRED":
    case "CERT_NOT_YET_VALID":
      return {
        reason: `the certificate of Postgres is not trusted (${error instanceof Error ? error.message : ""})`,
        check: "Set sslrootcert in DATABASE_URL to the file of the authority that signed it.",
        mayPass: false,
      };
    case "ERR_TLS_CERT_ALTNAME_INVALID":
      return {
        reason: "the certificate of Postgres names another host",
        check: "Check the host in DATABASE_URL: it must be a name in the certificate.",
        mayPass: false,
      };
    case "28000":
      return {
        reason: `Postgres refused the connection (${error instanceof Error ? error.message : ""})`,
        check:
          "Check the user and the client certificate (sslcert and sslkey) in DATABASE_URL, and pg_hba.conf of Postgres.",
        mayPass: false,
      };
    case "28P01":
      return {
        reason: "the password or user was refused",
        check: "Check user and password in DATABASE_URL, DATABASE_PASSWORD or DATABASE_PASSWORD_FILE.",
        mayPass: false,
      };
    case "3D000":
      return {
        reason: "the database does not exist",
        check: "Create it, or correct the name in DATABASE_URL.",
        mayPass: false,
      };
    case "57P03":
      return { reason: "Postgres is starting up", check: "Read the log of Postgres.", mayPass: true };
    case "53300":
      return {
        reason: "Postgres has no free connection",
        check: "Raise max_connections, or run fewer nodes.",
        mayPass: true,
      };
    default:
      return {
        // Messages of the driver contain hosts and codes, never a password.
        reason: error instanceof Error ? error.message : "no answer",
        check: "Check DATABASE_URL, the network between this machine and Postgres, and the log of Postgres.",
        mayPass: true,
      };
  }
}

function fileOf(error: unknown): string {
  return error instanceof Error && "path" in error ? String(error.path) : "";
}

function codeOf(error: unknown): string {
  // Both addresses of a name (IPv4 and IPv6) failed.
  if (error instanceof AggregateError) return codeOf(error.errors[0]);
  return errorCodeOf(error) ?? "";
}
