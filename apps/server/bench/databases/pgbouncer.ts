import { chmod, writeFile } from "node:fs/promises";
import { connect as connectTcp } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { freePort, startProgram } from "../processes.ts";

/** Starts pgbouncer in transaction mode in front of a database. */
export async function startPgbouncer(folder: string, databaseUrl: string) {
  const target = new URL(databaseUrl);
  const port = await freePort();
  const [config, users] = [join(folder, "pgbouncer.ini"), join(folder, "users.txt")];
  const [user, password] = [target.username, target.password].map(decodeURIComponent);
  await writeFile(users, `"${user}" "${password}"\n`);
  await writeFile(
    config,
    `[databases]
* = host=${target.hostname} port=${target.port}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = scram-sha-256
auth_file = ${users}
pool_mode = transaction
default_pool_size = 8
max_client_conn = 200
`,
  );
  for (const file of [config, users]) await chmod(file, 0o644);
  // pgbouncer refuses to run as root.
  const account = process.geteuid?.() === 0 ? ["-u", "nobody"] : [];
  const url = new URL(databaseUrl);
  url.port = `${port}`;

  async function start(): Promise<number> {
    const pid = await startProgram("pgbouncer", [...account, config], {}, folder, "pgbouncer");
    await accepting(port);
    return pid;
  }

  let pid = await start();
  return {
    url: url.href,
    /** Kills it, which closes all connections, and starts it again. */
    async restart() {
      process.kill(pid, "SIGKILL");
      pid = await start();
    },
  };
}

/** Resolves when something listens on the port. Rejects after 20 seconds. */
export async function accepting(port: number): Promise<void> {
  for (let tries = 0; tries < 100; tries += 1) {
    const isOpen = await new Promise<boolean>((resolve) => {
      const socket = connectTcp(port, "127.0.0.1", () => resolve(true));
      socket.once("error", () => resolve(false)).once("connect", () => socket.end());
    });
    if (isOpen) return;
    await sleep(200);
  }
  throw new Error(`Nothing listens on port ${port}.`);
}
