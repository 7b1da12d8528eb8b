import { chmod, chown, mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import pg from "pg";
import { startEmbeddedPostgres } from "#platform/database/embedded-postgres.ts";
import { makeAuthority, makeCertificate } from "#test/certificates.ts";

/** A Postgres that accepts encrypted connections of clients with a certificate only. */
export interface TlsPostgres {
  /** Its address as `localhost`, the name in its certificate, without parameters. */
  url: string;
  /** Address without TLS, for the test itself. */
  plainUrl: string;
  /** Files of the authority, and of a client whose certificate has the name of the database's user. */
  files: { ca: string; otherCa: string; cert: string; key: string };
  close(): Promise<void>;
}

export async function startTlsPostgres(): Promise<TlsPostgres> {
  const folder = await mkdtemp(join(tmpdir(), "gateway-tls-"));
  // Postgres runs as another user when this process is root.
  await chmod(folder, 0o755);
  const dataDir = join(folder, "data");
  const postgres = await startEmbeddedPostgres({ dataDir, durable: false, log: () => undefined });
  const file = (name: string) => join(folder, name);
  await makeAuthority(file("ca"));
  await makeAuthority(file("other"));
  const { username } = new URL(postgres.url);
  await makeCertificate(file("ca"), file("client"), username);
  // The embedded Postgres itself connects without TLS to 127.0.0.1; `localhost` may be that or ::1.
  await writeFile(
    join(await dataOf(dataDir), "pg_hba.conf"),
    "hostssl gateway all all scram-sha-256 clientcert=verify-full\nhostnossl all all all scram-sha-256\n",
  );
  await enableTls({ url: postgres.url, dataDir, authority: file("ca"), certificate: file("server") });
  const url = new URL(postgres.url);
  url.hostname = "localhost";
  return {
    url: url.href,
    plainUrl: postgres.url,
    files: {
      ca: file("ca.pem"),
      otherCa: file("other.pem"),
      cert: file("client.pem"),
      key: file("client.key"),
    },
    async close() {
      await postgres.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

interface TlsServer {
  url: string;
  dataDir: string;
  /** Path of the authority, without `.pem`. */
  authority: string;
  /** Path for the certificate of the server, without `.pem`. */
  certificate: string;
}

/** Lets a running server accept encrypted connections to `localhost`. */
export async function enableTls({ url, dataDir, authority, certificate }: TlsServer): Promise<void> {
  await makeCertificate(authority, certificate, "localhost");
  const { uid, gid } = await stat(await dataOf(dataDir));
  await chown(`${certificate}.key`, uid, gid);
  const settings = {
    ssl: "on",
    ssl_ca_file: `${authority}.pem`,
    ssl_cert_file: `${certificate}.pem`,
    ssl_key_file: `${certificate}.key`,
  };
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    for (const [name, value] of Object.entries(settings))
      await client.query(`ALTER SYSTEM SET ${name} = '${value}'`);
    await client.query("SELECT pg_reload_conf()");
  } finally {
    await client.end();
  }
}

/** Returns the folder of the server's own files. */
async function dataOf(dataDir: string): Promise<string> {
  const notes = JSON.parse(await readFile(join(dataDir, "embedded-postgres.json"), "utf8")) as {
    data: string;
  };
  return resolve(dataDir, notes.data);
}
