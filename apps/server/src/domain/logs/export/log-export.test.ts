import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { zstdDecompressSync } from "node:zlib";
import { defaultSettings, type Settings } from "@gateway/shared/site/settings";
import { parquetMetadata, parquetReadObjects } from "hyparquet";
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { connect, type Database } from "#platform/database/db.ts";
import { openFolder } from "#platform/storage/folder.ts";
import type { ObjectStorage } from "#platform/storage/storage.ts";
import { freshDatabase } from "#test/database.ts";
import { type S3Server, startS3Server } from "#test/s3-server.ts";
import { exportClosedHours, exportPeriod } from "./export-closed-hours.ts";
import { folderOf } from "./export-hour.ts";
import { beginExport, readExportState, recordFailure, recordSuccess, retryTime } from "./export-state.ts";
import { closedUntil, hourMs } from "./hours.ts";
import { createLogExport, type LogExport } from "./log-export.ts";

let place: Awaited<ReturnType<typeof freshDatabase>>;
let database: Database;
let server: S3Server;
let dataDir: string;
beforeAll(async () => {
  place = await freshDatabase();
  database = connect(place.url);
  server = await startS3Server("logs", "right");
  dataDir = await mkdtemp(join(tmpdir(), "log-export-"));
});
afterAll(async () => {
  await database.close();
  await place.drop();
  await server.close();
  await rm(dataDir, { recursive: true });
});

beforeEach(async () => {
  await database.pool.query("TRUNCATE request_logs, log_export_hours, log_export_progress");
  await startAt(newest);
  server.objects.clear();
});

const never = new AbortController().signal;
/** The tests may run across the end of an hour. */
const until = closedUntil();
/** The newest hour that can be exported, and the one before. */
const newest = new Date(until.getTime() - hourMs);
const earlier = new Date(newest.getTime() - hourMs);

const bucket = {
  LogExportPlace: "s3",
  LogExportS3Bucket: "logs",
  LogExportS3Prefix: "site",
  LogExportS3AccessKey: "right",
  LogExportS3SecretKey: "a secret",
} as const;

function createExport(settings: Partial<Settings> = {}) {
  return createLogExport({
    db: database.db,
    pool: database.pool,
    url: place.url,
    dataDir,
    settings: () => ({
      ...defaultSettings,
      ...bucket,
      LogExportEnabled: true,
      LogExportS3Endpoint: server.endpoint,
      ...settings,
    }),
    onError: () => undefined,
  });
}

/** Sets the state of an installation that has exported everything before an hour. */
async function startAt(hour: Date): Promise<void> {
  await database.pool.query(
    `INSERT INTO log_export_progress (exported_until) VALUES ($1)
     ON CONFLICT (id) DO UPDATE SET exported_until = excluded.exported_until`,
    [hour],
  );
}

async function hoursWithRows(logExport: LogExport) {
  return (await logExport.status()).hours.filter(({ rows }) => rows > 0);
}

/** Adds calls to an hour, one per second. */
async function addCalls(hour: Date, count: number, name = "call"): Promise<void> {
  await database.pool.query(
    `INSERT INTO request_logs (created_at, request_id, type, user_id, model_name, prompt_tokens, quota, content, bill, session)
     SELECT $1::timestamptz + n * interval '1 second', $3 || '-' || n, 2, 7, '模型', 1000 + n, 9007199254740993, 'text of an error',
       '{"price_type":"tokens","group_ratio":"1","lines":[{"kind":"cached_tokens","amount":400,"ratio":"0.1"}],"exact":"40"}',
       CASE WHEN n % 2 = 1 THEN '{"id":"session-1"}'::jsonb END
     FROM generate_series(1, $2) AS n`,
    [hour, count, name],
  );
}

const read = async (file: Uint8Array) =>
  parquetReadObjects({
    file: new Uint8Array(file).buffer,
    compressors: { ZSTD: (input) => zstdDecompressSync(input) },
  });

const keys = () => [...server.objects.keys()].sort();

it("an hour that has ended is exported with every call, and can be read by another library", async () => {
  await addCalls(newest, 3);
  await addCalls(new Date(until.getTime() + hourMs), 2, "open");
  await createExport().exportIfDue(never);
  const key = `site/${folderOf(newest)}/part-00000.parquet`;
  expect(keys()).toEqual([key]);
  const file = server.objects.get(key)!;
  const rows = await read(file);
  expect(rows.map((row) => row["request_id"])).toEqual(["call-1", "call-2", "call-3"]);
  expect(rows[0]).toMatchObject({
    created_at: new Date(newest.getTime() + 1_000),
    type: 2,
    user_id: 7,
    model_name: "模型",
    prompt_tokens: 1001n,
    quota: 9_007_199_254_740_993n,
    cached_tokens: 400n,
    session_id: "session-1",
    is_stream: false,
    channel_name: "",
  });
  expect(typeof rows[0]!["id"]).toBe("bigint");
  expect(rows[1]!["session_id"]).toBeNull();
  expect(JSON.parse(rows[0]!["bill"] as string)).toMatchObject({ exact: "40" });
  const { schema } = parquetMetadata(new Uint8Array(file).buffer);
  expect(schema.find(({ name }) => name === "created_at")?.logical_type).toEqual({
    type: "TIMESTAMP",
    isAdjustedToUTC: true,
    unit: "MICROS",
  });
  // Texts of errors may quote a prompt.
  expect(schema.map(({ name }) => name)).not.toContain("content");
});

it("a large hour becomes files of limited size, and a shorter export of it removes the rest", async () => {
  await addCalls(newest, 25);
  const storage = openFolder(join(dataDir, "parts"));
  const exportIn = (groupRows: number, fileGroups: number) =>
    exportPeriod(
      { url: place.url, storage, signal: never, portions: { groupRows, fileGroups } },
      { from: newest, until, isRecorded: true },
    );
  const folder = join(storage.place, folderOf(newest));
  expect(await exportIn(4, 2)).toMatchObject([{ rows: 25, files: 4 }]);
  const files = (await readdir(folder)).sort();
  expect(files).toEqual([0, 1, 2, 3].map((index) => `part-0000${index}.parquet`));
  const rows = (
    await Promise.all(files.map(async (file) => read(await readFile(join(folder, file)))))
  ).flat();
  expect(rows.map((row) => row["request_id"])).toEqual(Array.from({ length: 25 }, (_, n) => `call-${n + 1}`));
  const first = await readFile(join(folder, files[0]!));
  expect(parquetMetadata(new Uint8Array(first).buffer).row_groups.map(({ num_rows }) => num_rows)).toEqual([
    4n,
    4n,
  ]);
  expect(await exportIn(20, 2)).toMatchObject([{ rows: 25, files: 1 }]);
  expect(await readdir(folder)).toEqual(["part-00000.parquet"]);
});

it("a call that is logged late is added to its hour by the next export", async () => {
  await addCalls(newest, 2);
  const logExport = createExport();
  await logExport.exportIfDue(never);
  await addCalls(newest, 1, "late");
  await logExport.start();
  await expect.poll(async () => (await logExport.status()).is_running).toBe(false);
  const rows = await read([...server.objects.values()][0]!);
  expect(new Set(rows.map((row) => row["request_id"]))).toEqual(new Set(["call-1", "call-2", "late-1"]));
  expect(await hoursWithRows(logExport)).toMatchObject([{ rows: 3, files: 1 }]);
});

it("rows that retention has deleted stay in the exported files", async () => {
  await addCalls(newest, 2);
  const logExport = createExport();
  await logExport.exportIfDue(never);
  await database.pool.query("TRUNCATE request_logs");
  const storage = openFolder(join(dataDir, "unused"));
  await logExport.start();
  await expect.poll(async () => (await logExport.status()).is_running).toBe(false);
  expect(keys().length).toBe(1);
  const [again] = await exportPeriod(
    { url: place.url, storage, signal: never },
    { from: newest, until, isRecorded: true },
  );
  expect(again).toMatchObject({ rows: 0, files: 0 });
  expect(await hoursWithRows(logExport)).toMatchObject([{ rows: 2 }]);
});

it("an export that ends between two hours repeats the second one, and no other", async () => {
  await addCalls(earlier, 1, "first");
  await addCalls(newest, 1, "second");
  await startAt(earlier);
  const storage = openFolder(join(dataDir, "killed"));
  let writes = 0;
  const failing: ObjectStorage = {
    ...storage,
    async write(...given) {
      writes += 1;
      if (writes === 2) throw new Error("killed");
      return storage.write(...given);
    },
  };
  const options = { url: place.url, signal: never };
  await expect(exportClosedHours({ ...options, storage: failing }, until)).rejects.toThrow("killed");
  expect((await readExportState(database.pool))?.exportedUntil).toEqual(newest);
  const done: Date[] = [];
  await exportClosedHours({ ...options, storage, onHour: ({ hour }) => done.push(hour) }, until);
  expect(done).toEqual([newest]);
  expect((await readExportState(database.pool))?.exportedUntil).toEqual(until);
});

it("a refused key is named, retried later, and forgotten after a success", async () => {
  await addCalls(newest, 1);
  const refused = createExport({ LogExportS3AccessKey: "wrong" });
  await expect(refused.exportIfDue(never)).rejects.toMatchObject({
    params: { reason: "object_storage_denied", place: "s3://logs/site" },
  });
  await refused.reload();
  expect(refused.isFailing()).toBe(true);
  const status = await refused.status();
  expect(status).toMatchObject({ failures: 1, place: "s3://logs/site" });
  expect(status.reason).toContain("InvalidAccessKeyId");
  expect(JSON.stringify(status)).not.toContain("a secret");
  const correct = createExport();
  // Too early for another attempt.
  await correct.exportIfDue(never);
  expect(keys()).toEqual([]);
  await database.pool.query("UPDATE log_export_progress SET failed_at = now() - interval '6 minutes'");
  await correct.exportIfDue(never);
  await correct.reload();
  expect(correct.isFailing()).toBe(false);
  expect(keys().length).toBe(1);
});

it("a second export is refused while one runs, and the lag is counted from the last exported hour", async () => {
  await addCalls(newest, 1);
  const logExport = createExport({ LogExportPlace: "folder" });
  expect(await createExport({ LogExportEnabled: false }).lag()).toBeUndefined();
  expect(await logExport.lag()).toBeGreaterThanOrEqual(7_200);
  let resume = () => {};
  const resumed = new Promise<void>((resolve) => {
    resume = resolve;
  });
  const storage = openFolder(join(dataDir, "slow"));
  const slow: ObjectStorage = {
    ...storage,
    async write(...given) {
      await resumed;
      return storage.write(...given);
    },
  };
  const running = exportClosedHours({ url: place.url, storage: slow, signal: never }, until);
  await expect.poll(async () => (await logExport.status()).is_running).toBe(true);
  await expect(logExport.start()).rejects.toMatchObject({ params: { reason: "log_export_running" } });
  // The job leaves it to the other process.
  await logExport.exportIfDue(never);
  resume();
  await running;
  expect(await logExport.lag()).toBeLessThan(7_200);
});

it("pauses between attempts grow to an hour", async () => {
  const pauses: number[] = [];
  for (let attempt = 0; attempt < 6; attempt += 1) {
    await recordFailure(database.pool, { text: "no", facts: [] });
    const state = await readExportState(database.pool);
    pauses.push(Math.round((retryTime(state!)!.getTime() - state!.failedAt!.getTime()) / 60_000));
  }
  expect(pauses).toEqual([5, 10, 20, 40, 60, 60]);
  await recordSuccess(database.pool);
  expect(retryTime((await readExportState(database.pool))!)).toBeUndefined();
});

it("the first export begins with the last hour that has ended", async () => {
  await database.pool.query("TRUNCATE log_export_progress");
  await addCalls(new Date(earlier.getTime() - hourMs), 1, "old");
  const { exportedUntil } = await beginExport(database.pool);
  expect(exportedUntil.getTime()).toBeGreaterThanOrEqual(newest.getTime());
});
