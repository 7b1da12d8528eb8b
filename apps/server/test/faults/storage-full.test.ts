/** A full disk: uploads are rejected with the reason, and operators are notified. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { watchStorage } from "#domain/notices/storage.ts";
import { connect, type Database } from "#platform/database/db.ts";
import { installedDatabase } from "#test/database.ts";
import { type GatewayProcess, startGatewayProcess } from "#test/gateway-process.ts";

const MEGABYTE = 1024 * 1024;
let place: Awaited<ReturnType<typeof installedDatabase>>;
let database: Database;
let folder: string;
let gateway: GatewayProcess;

beforeAll(async () => {
  place = await installedDatabase();
  database = connect(place.url, { max: 2 });
  folder = await mkdtemp(join(tmpdir(), "gateway-full-"));
  gateway = await startGatewayProcess(
    { DATABASE_URL: place.url, DATA_DIR: folder, DEMO_UPSTREAM: "1" },
    { fileKilobytes: 2_048 },
  );
});
afterAll(async () => {
  gateway.process.kill("SIGTERM");
  await gateway.ended;
  await database.close();
  await place.drop();
  await rm(folder, { recursive: true, force: true });
});

const notices = () =>
  database.db.notice.findMany({ where: { event: "storage-full" }, orderBy: { id: "asc" } });

it("a full disk: rejects an upload with 507 and the reason, notifies operators once, and serves smaller requests", async () => {
  await gateway.api("POST", "/channel", {
    type: 900,
    name: "demo",
    key: "",
    base_url: "",
    models: ["demo-whisper"],
    groups: ["default"],
  });
  const { key } = await gateway.api<{ key: string }>("POST", "/token", { name: "t", unlimited_quota: true });
  const upload = async (bytes: number) => {
    const form = new FormData();
    form.set("model", "demo-whisper");
    form.set("file", new Blob([Buffer.alloc(bytes)]), "a.mp3");
    const response = await fetch(`${gateway.url}/v1/audio/transcriptions`, {
      method: "POST",
      headers: { authorization: `Bearer ${key}` },
      body: form,
    });
    return {
      status: response.status,
      text: await response.text(),
      wait: response.headers.get("retry-after"),
    };
  };
  for (let times = 0; times < 3; times += 1) {
    const refused = await upload(4 * MEGABYTE);
    expect([refused.status, refused.wait]).toEqual([507, "60"]);
    expect(refused.text).toContain("cannot store this upload");
  }
  expect((await upload(500_000)).status).not.toBe(507);
  await expect.poll(notices, { timeout: 10_000 }).toHaveLength(1);
  const [notice] = await notices();
  expect(notice?.facts).toMatchObject({ folder, reason: expect.stringContaining("An upload was refused") });
  await database.db.notice.deleteMany({ where: { event: "storage-full" } });
});

it("a nearly full disk: is reported before uploads are rejected, and again after space was free in between", async () => {
  let free = 100 * MEGABYTE;
  let looks = 0;
  const watch = watchStorage(database.db, {
    folder,
    everyMs: 20,
    free: async () => {
      looks += 1;
      return free;
    },
    onError: (error) => {
      throw error;
    },
  });
  try {
    await expect.poll(notices, { timeout: 10_000 }).toHaveLength(1);
    expect((await notices())[0]?.facts).toMatchObject({
      reason: expect.stringContaining("100 MB of disk space left"),
    });
    free = 600 * MEGABYTE;
    const seen = looks;
    await expect.poll(() => looks, { timeout: 10_000 }).toBeGreaterThan(seen + 2);
    expect(await notices()).toHaveLength(1);
    free = 10 * MEGABYTE;
    await expect.poll(notices, { timeout: 10_000 }).toHaveLength(2);
  } finally {
    watch.close();
  }
});
