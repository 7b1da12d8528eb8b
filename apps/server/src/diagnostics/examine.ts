import { readFile } from "node:fs/promises";
import { totalmem } from "node:os";
import { resolve } from "node:path";
import { unpricedModels } from "#domain/pricing/unpriced-models.ts";
import { mailAccount } from "#domain/settings/mail-account.ts";
import { createSettings } from "#domain/settings/settings.ts";
import { freeBytes } from "#platform/disk-space.ts";
import { greetMailServer } from "#platform/mail.ts";
import { probeAddress } from "./doctor-network.ts";
import { bad, type Finding, type Found, ok, warn } from "./finding.ts";
import type { Installation } from "./installation.ts";

/** Looks at what usually goes wrong around a gateway. It changes nothing. */
type Check = (installation: Installation) => Promise<Found[]>;

const checks: Record<string, Check> = {
  clock,
  "time zone": timeZone,
  disk,
  memory,
  "file descriptors": descriptors,
  postgres,
  redis,
  "public address": publicAddress,
  mail,
  prices,
  "provider keys": providerKeys,
};

export async function examine(installation: Installation): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (const [check, run] of Object.entries(checks)) {
    const found = await run(installation).catch((error: unknown) =>
      bad(
        error instanceof Error ? error.message : String(error),
        "Correct the cause and run the command again.",
      ),
    );
    findings.push(...found.map((finding) => ({ check, ...finding })));
  }
  return findings;
}

const gigabyte = 1_000_000_000;

async function clock({ database }: Installation) {
  const { rows } = await database.pool.query<{ at: Date }>("SELECT clock_timestamp() AS at");
  const apart = Math.abs(Date.now() - (rows[0]?.at.getTime() ?? 0)) / 1_000;
  return apart < 2
    ? ok("This machine and the database agree on the time.")
    : bad(
        `The clocks of this machine and the database are ${apart.toFixed(1)} s apart.`,
        "Enable time synchronization (NTP) on both machines.",
      );
}

async function timeZone({ database: { db }, secrets }: Installation) {
  const { TimeZone: zone } = (await createSettings(db, await secrets())).current();
  return ok(`Days, limits and statements follow ${zone}. Settings, System changes it.`);
}

async function disk({ env }: Installation) {
  const free = await freeBytes(resolve(env.DATA_DIR));
  const text = `${(free / gigabyte).toFixed(1)} GB are free in DATA_DIR.`;
  return free > 5 * gigabyte
    ? ok(text)
    : (free > gigabyte ? warn : bad)(text, "Make space, or set LogRetentionDays in the settings.");
}

async function memory({ env }: Installation) {
  const budget = (env.MEMORY_BUDGET_MB ?? 0) * 1_000_000;
  const total = totalmem();
  if (total < gigabyte)
    return warn(`This machine has ${(total / gigabyte).toFixed(1)} GB of memory.`, "Give it 1 GB or more.");
  if (budget * env.workers > total * 0.8)
    return bad(
      "MEMORY_BUDGET_MB of all workers together is more than 80 % of the memory.",
      "Lower MEMORY_BUDGET_MB or WORKERS.",
    );
  return ok(`This machine has ${(total / gigabyte).toFixed(1)} GB of memory.`);
}

const fewestFiles = 4_096;

async function descriptors() {
  const limits = await readFile("/proc/self/limits", "utf8").catch(() => "");
  const soft = Number(/^Max open files\s+(\d+)/m.exec(limits)?.[1] ?? Number.NaN);
  if (Number.isNaN(soft)) return ok("The limit of open files is not known on this system.");
  return soft >= fewestFiles
    ? ok(`A process may open ${soft} files.`)
    : warn(
        `A process may open ${soft} files only; each call needs two.`,
        "Raise it with ulimit -n 65536, or LimitNOFILE in systemd.",
      );
}

const oldestPostgres = 15;

async function postgres({ database, where, running }: Installation) {
  const { rows } = await database.pool.query<{
    version: number;
    connections: number;
    used: number;
    fsync: string;
    commits: string;
  }>(
    `SELECT current_setting('server_version_num')::int / 10000 AS version, current_setting('max_connections')::int AS connections,
       (SELECT count(*)::int FROM pg_stat_activity) AS used, current_setting('fsync') AS fsync,
       current_setting('synchronous_commit') AS commits`,
  );
  const { version = 0, connections = 0, used = 0, fsync = "on", commits = "on" } = rows[0] ?? {};
  return [
    ...(version >= oldestPostgres
      ? ok(`Postgres ${version} at ${where}; ${running} gateways are running.`)
      : warn(`Postgres ${version} is older than ${oldestPostgres}.`, "Upgrade Postgres.")),
    ...(used < connections * 0.8
      ? ok(`${used} of ${connections} connections are in use.`)
      : warn(`${used} of ${connections} connections are in use.`, "Raise max_connections.")),
    ...(fsync === "on"
      ? []
      : bad("fsync is off: a power cut can ruin the books.", "Set fsync = on in postgresql.conf.")),
    ...(commits === "off"
      ? warn(
          "synchronous_commit is off: a crash of Postgres can lose charges of the last moment.",
          "Set synchronous_commit = on in postgresql.conf.",
        )
      : []),
  ];
}

async function redis({ env }: Installation) {
  if (env.REDIS_URL === undefined)
    return ok("REDIS_URL is not set. One node needs none; several share exact limits only with Redis.");
  const { Redis } = await import("ioredis");
  const client = new Redis(env.REDIS_URL, {
    lazyConnect: true,
    maxRetriesPerRequest: 0,
    retryStrategy: () => null,
    connectTimeout: 5_000,
  });
  client.on("error", () => undefined);
  try {
    await client.connect();
    await client.ping();
    return ok("Redis answers.");
  } catch {
    return bad("Redis does not answer.", "Check REDIS_URL and that Redis is running.");
  } finally {
    client.disconnect();
  }
}

async function publicAddress(installation: Installation) {
  const { database, secrets } = installation;
  const address = (await createSettings(database.db, await secrets())).current().ServerAddress;
  return address === ""
    ? warn(
        "The server address is not set, so mails, payments and sign-ins have no links.",
        "Enter it in Settings, System, Address.",
      )
    : probeAddress(installation, address.replace(/\/$/, ""));
}

async function mail({ database: { db }, secrets }: Installation) {
  const settings = (await createSettings(db, await secrets())).current();
  const account = mailAccount(settings);
  if (account !== undefined) {
    const fault = await greetMailServer(account);
    return fault === undefined
      ? ok(`The mail server ${settings.SMTPServer} accepts the account. The settings page sends a test mail.`)
      : bad(fault.message, "Correct the mail server in Settings, System, Mail.");
  }
  return warn(
    "No mail can be sent, so no one can reset a password.",
    "Enter the mail server in Settings, System, Mail.",
  );
}

const mostNamed = 10;

async function prices({ database: { db } }: Installation) {
  const missing = await unpricedModels(db, { status: 1 });
  if (missing.length === 0) return ok("Every model of an enabled channel has a price.");
  return warn(
    `${missing.length} models have no price and are refused: ${missing.slice(0, mostNamed).join(", ")}${missing.length > mostNamed ? ", …" : ""}`,
    "Add prices, or remove the models from their channels.",
  );
}

async function providerKeys({ database: { db } }: Installation) {
  const [off, keys] = await Promise.all([
    db.channel.findMany({
      where: { deleted_at: null, status: 3 },
      select: { id: true, name: true },
      orderBy: { id: "asc" },
    }),
    db.channelKey.count({ where: { status: 3, channel: { deleted_at: null } } }),
  ]);
  if (off.length === 0 && keys === 0) return ok("No provider has rejected a key.");
  const named = off.slice(0, mostNamed).map(({ id, name }) => `${id} (${name})`);
  return warn(
    `${keys} keys and ${off.length} channels were disabled automatically${named.length === 0 ? "" : `: ${named.join(", ")}`}.`,
    "Open the channel, read the reason, and enter a key that works.",
  );
}
