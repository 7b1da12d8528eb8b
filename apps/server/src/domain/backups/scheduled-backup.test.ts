import { mkdtemp, readdir, rename, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { defaultSettings, type Settings } from "@gateway/shared/site/settings";
import { afterAll, beforeAll, expect, it } from "vitest";
import { advisoryLocks } from "#platform/database/advisory-locks.ts";
import { connect, type Database } from "#platform/database/db.ts";
import { migrate, migrationsFolder } from "#platform/database/migrate.ts";
import { freshDatabase } from "#test/database.ts";
import { startS3Server } from "#test/s3-server.ts";
import { createBackup } from "./create-backup.ts";
import { backupIfDue } from "./scheduled-backup.ts";
import { backupName } from "./stored-backups.ts";

let place: Awaited<ReturnType<typeof freshDatabase>>;
let database: Database;
let dataDir: string;
beforeAll(async () => {
  place = await freshDatabase();
  database = connect(place.url);
  dataDir = await mkdtemp(join(tmpdir(), "scheduled-"));
});
afterAll(async () => {
  await database.close();
  await place.drop();
  await rm(dataDir, { recursive: true });
});

const never = new AbortController().signal;

async function runJob(settings: Partial<Settings>) {
  const source = { url: place.url, version: "0.2.0", dataDir };
  return backupIfDue(source, { ...defaultSettings, BackupEnabled: true, ...settings }, never);
}

it("a backup is written when the newest one is old enough, and old ones are deleted", async () => {
  const folder = join(dataDir, "backups");
  expect(await runJob({ BackupEnabled: false })).toBeUndefined();
  const first = await runJob({});
  expect(first).toMatchObject({ place: folder, isEncrypted: false, removed: [] });
  expect(first!.tables).toBeGreaterThan(60);
  expect(await runJob({})).toBeUndefined();
  const old = backupName(new Date(Date.now() - 24 * 3_600_000), false);
  await rename(join(folder, first!.name), join(folder, old));
  const second = await runJob({ BackupKeepLast: 1, BackupPassphrase: "a passphrase" });
  expect(second).toMatchObject({ isEncrypted: true, removed: [old] });
  expect(await readdir(folder)).toEqual([second!.name]);
});

it("a bucket receives backups, and a wrong key is named", async () => {
  const server = await startS3Server("backups", "right");
  const settings = {
    BackupPlace: "s3",
    BackupS3Endpoint: server.endpoint,
    BackupS3Bucket: "backups",
    BackupS3Prefix: "/site/",
    BackupS3SecretKey: "secret",
  } as const;
  await expect(runJob({ ...settings, BackupS3AccessKey: "wrong" })).rejects.toMatchObject({
    params: { reason: "object_storage_denied", place: "s3://backups/site" },
  });
  await expect(runJob(settings)).rejects.toMatchObject({ params: { reason: "object_storage_failed" } });
  const report = await runJob({ ...settings, BackupS3AccessKey: "right" });
  expect([...server.objects.keys()]).toEqual([`site/${report!.name}`]);
  await server.close();
});

/** Begins a backup whose storage accepts nothing until `resume` is called. */
function beginBackup(stalledMs?: number) {
  let resume = () => {};
  const resumed = new Promise<void>((resolve) => {
    resume = resolve;
  });
  const storage = {
    place: "a slow place",
    async write(_name: string, content: AsyncIterable<Buffer>, signal: AbortSignal) {
      const ended = new Promise<never>((_, reject) => {
        signal.addEventListener("abort", () => reject(signal.reason as Error));
      });
      await Promise.race([resumed, ended]);
      let bytes = 0;
      for await (const chunk of content) bytes += chunk.length;
      return bytes;
    },
    read: () => Promise.reject(new Error("nothing was stored")),
    list: async () => [],
    remove: async () => {},
  };
  const done = createBackup({
    url: place.url,
    version: "0.2.0",
    storage,
    passphrase: undefined,
    ...(stalledMs && { stalledMs }),
  });
  done.catch(() => undefined);
  return { done, resume };
}

async function waitForLock(): Promise<void> {
  for (;;) {
    const { rowCount } = await database.pool.query(
      "SELECT FROM pg_locks WHERE locktype = 'advisory' AND objid = $1",
      [advisoryLocks.writeBackup],
    );
    if (rowCount === 1) return;
  }
}

it("a second backup is refused, and a migration ends a running one", async () => {
  // More than the buffers of a backup contain: it is still reading when the migration begins.
  await database.pool.query(
    `INSERT INTO options (key, value)
     SELECT 'large', to_json(string_agg(md5(random()::text), '')) FROM generate_series(1, 100000)`,
  );
  const { done, resume } = beginBackup();
  await waitForLock();
  await expect(beginBackup().done).rejects.toMatchObject({ params: { reason: "backup_running" } });
  await database.pool.query(
    "DELETE FROM _prisma_migrations WHERE migration_name = (SELECT max(migration_name) FROM _prisma_migrations)",
  );
  await migrate(place.url, migrationsFolder).catch(() => undefined);
  resume();
  await expect(done).rejects.toMatchObject({ params: { reason: "backup_interrupted" } });
});

it("a backup that does not move is given up, and its locks are released", async () => {
  const { done } = beginBackup(200);
  await expect(done).rejects.toThrow("nothing moved");
  const { rows } = await database.pool.query(
    "SELECT pid FROM pg_stat_activity WHERE application_name = 'gateway backup' AND datname = current_database() AND state = 'active'",
  );
  expect(rows).toEqual([]);
});
