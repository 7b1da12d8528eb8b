import { type ChildProcess, execFile, spawn, spawnSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { createConnection } from "mysql2/promise";

/** A real MariaDB server without durability, for tests that read a MySQL source. */
export interface Mariadb {
  /** Creates an empty database and returns its address. */
  database(): Promise<string>;
  stop(): Promise<void>;
}

// Debian keeps servers in /usr/sbin, which not every account has on its PATH.
const env = { ...process.env, PATH: `${process.env["PATH"] ?? ""}:/usr/sbin:/usr/local/sbin` };
const programs = ["mariadbd", "mariadb-install-db"];

/** Why MariaDB cannot be started here; undefined when it can. */
export function mariadbMissing(): string | undefined {
  const missing = programs.filter(
    (program) => spawnSync(program, ["--version"], { env }).error !== undefined,
  );
  return missing.length === 0
    ? undefined
    : `${missing.join(" and ")} not found (Debian: apt-get install mariadb-server-core mariadb-client-core)`;
}

const account = ["--no-defaults", ...(process.geteuid?.() === 0 ? ["--user=root"] : [])];
const smallLog = "--innodb-log-file-size=8M";

export async function startMariadb(): Promise<Mariadb> {
  const folder = await mkdtemp(join(tmpdir(), "gateway-mariadb-"));
  await promisify(execFile)(
    "mariadb-install-db",
    [
      ...account,
      `--datadir=${folder}`,
      "--auth-root-authentication-method=normal",
      "--skip-test-db",
      smallLog,
    ],
    { env, timeout: 100_000 },
  );
  const port = await freePort();
  const server = spawn(
    "mariadbd",
    [
      ...account,
      `--datadir=${folder}`,
      `--socket=${join(folder, "socket")}`,
      `--port=${port}`,
      "--bind-address=127.0.0.1",
      "--innodb-flush-log-at-trx-commit=0",
      "--innodb-fast-shutdown=2",
      "--innodb-buffer-pool-size=32M",
      "--skip-log-bin",
      smallLog,
    ],
    { env, stdio: ["ignore", "ignore", "pipe"] },
  );
  const killNow = () => void server.kill("SIGKILL");
  process.once("exit", killNow);
  await ready(server);
  const address = `mysql://root@127.0.0.1:${port}`;
  return {
    async database() {
      const name = `source_${randomUUID().slice(0, 8)}`;
      const admin = await createConnection(address);
      await admin.query(`CREATE DATABASE ${name} CHARACTER SET utf8mb4 COLLATE utf8mb4_general_ci`);
      await admin.end();
      return `${address}/${name}`;
    },
    async stop() {
      process.off("exit", killNow);
      const gone = new Promise((resolve) => server.once("exit", resolve));
      server.kill("SIGKILL");
      await gone;
      await rm(folder, { recursive: true, force: true, maxRetries: 3 });
    },
  };
}

function ready(server: ChildProcess): Promise<void> {
  return new Promise((resolve, reject) => {
    let text = "";
    const timer = setTimeout(() => reject(new Error(`mariadbd did not start within 60 s: ${text}`)), 60_000);
    server.once("close", (code) => reject(new Error(`mariadbd ended with code ${code}: ${text}`)));
    server.stderr?.on("data", (chunk: Buffer) => {
      text += chunk.toString();
      if (!text.includes("ready for connections")) return;
      clearTimeout(timer);
      resolve();
    });
  });
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      server.close(() => resolve(typeof address === "object" && address !== null ? address.port : 0));
    });
  });
}
