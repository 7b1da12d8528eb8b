import { execFile } from "node:child_process";
import { chmod, chown, mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import pg from "pg";
import { startEmbeddedPostgres } from "#platform/database/embedded-postgres.ts";

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

const run = promisify(execFile);

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
  await makeCertificate(file("ca"), file("server"), "localhost");
  const notes = JSON.parse(await readFile(join(dataDir, "embedded-postgres.json"), "utf8")) as {
    data: string;
  };
  const data = resolve(dataDir, notes.data);
  const { uid, gid } = await stat(data);
  await chown(file("server.key"), uid, gid);
  const client = new pg.Client({ connectionString: postgres.url });
  await client.connect();
  const settings = {
    ssl: "on",
    ssl_ca_file: file("ca.pem"),
    ssl_cert_file: file("server.pem"),
    ssl_key_file: file("server.key"),
  };
  for (const [name, value] of Object.entries(settings))
    await client.query(`ALTER SYSTEM SET ${name} = '${value}'`);
  // The embedded Postgres itself connects without TLS to 127.0.0.1; `localhost` may be that or ::1.
  await writeFile(
    join(data, "pg_hba.conf"),
    "hostssl gateway all all scram-sha-256 clientcert=verify-full\nhostnossl all all all scram-sha-256\n",
  );
  await client.query("SELECT pg_reload_conf()");
  await client.end();
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

const newKey = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"];

async function makeAuthority(path: string): Promise<void> {
  const files = ["-keyout", `${path}.key`, "-out", `${path}.pem`];
  await run("openssl", ["req", "-x509", ...newKey, "-days", "2", "-subj", "/CN=Test authority", ...files]);
}

/** Makes `<path>.key` and `<path>.pem`, signed by an authority. */
async function makeCertificate(authority: string, path: string, name: string): Promise<void> {
  const request = `${path}.csr`;
  await run("openssl", ["req", ...newKey, "-subj", `/CN=${name}`, "-keyout", `${path}.key`, "-out", request]);
  await writeFile(`${path}.ext`, `subjectAltName=DNS:${name}\n`);
  const signer = ["-CA", `${authority}.pem`, "-CAkey", `${authority}.key`, "-CAcreateserial"];
  const signed = ["-days", "2", "-extfile", `${path}.ext`, "-out", `${path}.pem`];
  await run("openssl", ["x509", "-req", "-in", request, ...signer, ...signed]);
}
