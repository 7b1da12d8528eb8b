import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { plainReason } from "@gateway/shared/reasons";
import type { BackupList } from "@gateway/shared/site/backup-list";
import type { LogExportStatus } from "@gateway/shared/site/log-export";
import { defaultSettings, type Settings } from "@gateway/shared/site/settings";
import { afterAll, beforeAll, expect, it } from "vitest";
import { backups } from "#diagnostics/backups.ts";
import { timeText } from "#diagnostics/finding.ts";
import { systemActor } from "#domain/audit-log/audit.ts";
import { recordBackup } from "#domain/backups/backup-records.ts";
import { backupName } from "#domain/backups/stored-backups.ts";
import { closedUntil, hourMs } from "#domain/logs/export/hours.ts";
import { raiseNotice } from "#domain/notices/notices.ts";
import { type Browser, buildConsole, type TestConsole } from "#test/console.ts";
import { testKeySources } from "#test/key-references.ts";
import { startS3Server } from "#test/s3-server.ts";

let site: TestConsole;
let root: Browser;
let admin: Browser;

beforeAll(async () => {
  site = await buildConsole();
  root = await site.as(await site.makeUser({ role: 100 }));
  admin = await site.as(await site.makeUser({ role: 10, permissions: { settings: "edit" } }));
});
afterAll(() => site.close());

const status = async () => (await root.get<LogExportStatus>("/api/option/log-export")).body.data;

it("the log export is changed and started by root only, and read with the right to settings", async () => {
  for (const key of ["LogExportEnabled", "LogExportS3Endpoint", "LogExportS3SecretKey"])
    expect((await admin.send("PUT", "/api/option", { key, value: true })).status, key).toBe(403);
  expect((await admin.send("POST", "/api/option/log-export/run")).status).toBe(403);
  expect((await admin.get("/api/option/log-export")).status).toBe(200);
  const visitor = await site.as(await site.makeUser({ role: 1 }));
  for (const path of ["/api/option/log-export", "/api/option/backups"])
    expect((await visitor.get(path)).status, path).toBe(403);
  expect(await root.send("POST", "/api/option/log-export/run")).toMatchObject({
    status: 409,
    body: { params: { reason: "log_export_off" } },
  });
});

it("root starts an export, and its failure is shown without the secret key", async () => {
  const server = await startS3Server("logs", "right");
  await site.services.settings.change(systemActor, {
    LogExportEnabled: true,
    LogExportPlace: "s3",
    LogExportS3Endpoint: server.endpoint,
    LogExportS3Bucket: "logs",
    LogExportS3AccessKey: "wrong",
    LogExportS3SecretKey: "hush-2",
  });
  await site.services.pool.query(
    "INSERT INTO request_logs (created_at, request_id, type, user_id) VALUES ($1, 'a', 2, 1)",
    [new Date(closedUntil().getTime() - hourMs)],
  );
  expect((await root.send("POST", "/api/option/log-export/run")).status).toBe(200);
  await expect.poll(async () => (await status()).failures, { timeout: 15_000 }).toBe(1);
  expect(await status()).toMatchObject({
    place: "s3://logs",
    reason: expect.stringContaining("InvalidAccessKeyId"),
    reason_facts: [{ code: "conflict", params: { reason: "object_storage_denied" } }],
    hours: [],
  });
  expect(JSON.stringify(await status())).not.toContain("hush-2");
  expect(JSON.stringify((await root.get("/api/option")).body)).not.toContain("hush-2");
  await site.services.settings.change(systemActor, { LogExportS3AccessKey: "right" });
  await expect.poll(async () => (await status()).is_running).toBe(false);
  expect((await root.send("POST", "/api/option/log-export/run")).status).toBe(200);
  await expect.poll(async () => (await status()).failures, { timeout: 15_000 }).toBe(0);
  expect([...server.objects.keys()].length).toBe(1);
  expect(await site.services.db.auditEntry.count({ where: { action: "log.export" } })).toBe(2);
  await server.close();
});

it("stored backups are listed with size, version and check", async () => {
  const { db, dataDir, settings } = site.services;
  const folder = join(dataDir, "backups");
  const list = async () => (await root.get<BackupList>("/api/option/backups")).body.data;
  expect(await list()).toEqual({ place: folder, total: 0, backups: [], progress: null, failure: null });
  await mkdir(folder, { recursive: true });
  const names = [30, 3].map((hours) => backupName(new Date(Date.now() - hours * hourMs), hours === 3));
  for (const name of names) await writeFile(join(folder, name), "12345");
  const report = { place: folder, bytes: 5, tables: 1, rows: 1, isEncrypted: true, removed: [] };
  await recordBackup(db, { ...report, name: names[1]! }, "0.3.0");
  expect(await list()).toMatchObject({
    total: 2,
    backups: [
      { name: names[1], bytes: 5, is_encrypted: true, version: "0.3.0", verified_at: expect.any(Number) },
      { name: names[0], is_encrypted: false, version: null, verified_at: null },
    ],
  });

  await settings.change(systemActor, { BackupPlace: "s3", BackupS3Endpoint: "http://127.0.0.1:2" });
  expect((await root.get("/api/option/backups")).body).toMatchObject({
    params: { reason: "object_storage_failed" },
  });
});

it("root writes a backup now, one at a time, and a failure is shown until the next one", async () => {
  const { db, settings } = site.services;
  const list = async () => (await root.get<BackupList>("/api/option/backups")).body.data;
  const run = (who: Browser) => who.send("POST", "/api/option/backups/run");
  const server = await startS3Server("backups", "right");
  await settings.change(systemActor, {
    BackupPlace: "s3",
    BackupS3Endpoint: server.endpoint,
    BackupS3Bucket: "backups",
    BackupS3AccessKey: "right",
    BackupS3SecretKey: "hush-3",
  });
  expect((await run(admin)).status).toBe(403);
  const answers = await Promise.all([run(root), run(root)]);
  expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 409]);
  await expect.poll(async () => (await list()).backups.length, { timeout: 15_000 }).toBe(1);
  await expect.poll(async () => (await list()).progress, { timeout: 15_000 }).toBeNull();
  expect((await list()).backups[0]).toMatchObject({ version: "0.0.0", verified_at: expect.any(Number) });
  expect(await db.auditEntry.count({ where: { action: "backup.run" } })).toBe(1);

  await settings.change(systemActor, { BackupPlace: "folder", BackupPassphrase: "" });
  const folder = join(site.services.dataDir, "backups");
  await rm(folder, { recursive: true, force: true });
  await writeFile(folder, "a file in the place of the folder");
  expect((await run(root)).status).toBe(200);
  await expect
    .poll(() => db.notice.count({ where: { topic: "job:write-backups" } }), { timeout: 15_000 })
    .toBe(1);
  await rm(folder);
  expect(await list()).toMatchObject({
    failure: { time: expect.any(Number), reason: expect.stringContaining("backups") },
  });
  await db.notice.deleteMany();
  await server.close();
});

it("doctor reports how old the last backup is, and why a later one failed", async () => {
  const { db, pool } = site.services;
  const dataDir = await mkdtemp(join(tmpdir(), "doctor-"));
  const find = async (given: Partial<Settings>) => {
    const findings = await backups({
      env: {
        DATA_DIR: dataDir,
        PORT: 1,
        REDIS_URL: undefined,
        redisSentinels: undefined,
        replica: undefined,
        MEMORY_BUDGET_MB: undefined,
        workers: 1,
        basePath: "",
        keySources: testKeySources(),
        telemetry: undefined,
      },
      database: { db, pool },
      settings: async () => ({ ...defaultSettings, ...given }),
      secrets: () => Promise.reject(new Error("not needed")),
    });
    return findings.map(({ state, code, params }) => [state, code, params["time"] ?? params["detail"]]);
  };
  expect(await find({})).toEqual([["warning", "backups_off", undefined]]);
  expect(await find({ BackupEnabled: true })).toEqual([["problem", "backup_missing", undefined]]);
  const folder = join(dataDir, "backups");
  await mkdir(folder);
  const begun = new Date(Date.now() - 3.5 * hourMs);
  const time = timeText(begun);
  await writeFile(join(folder, backupName(begun, false)), "12345");
  expect(await find({ BackupEnabled: true })).toEqual([["ok", "backup_recent", time]]);
  expect(await find({ BackupEnabled: true, BackupHours: 1 })).toEqual([["problem", "backup_old", time]]);
  await raiseNotice(db, {
    event: "job-failed",
    topic: "job:write-backups",
    facts: { job: "write-backups" },
    reason: plainReason("The disk is full."),
  });
  expect(await find({ BackupEnabled: true })).toEqual([
    ["problem", "backup_failed", "The disk is full"],
    ["ok", "backup_recent", time],
  ]);
  await rm(dataDir, { recursive: true });
});
