import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { startTestGateway, type TestGateway } from "#test/gateway.ts";
import { cli } from "./cli.ts";

let gateway: TestGateway;
let folder: string;
beforeAll(async () => {
  gateway = await startTestGateway();
  folder = await mkdtemp(join(tmpdir(), "export-log-"));
  await gateway.database.pool.query(
    `INSERT INTO request_logs (created_at, request_id, type, user_id)
     SELECT '2026-11-01T05:30Z'::timestamptz + n * interval '1 hour', 'call-' || n, 2, 1 FROM generate_series(0, 3) AS n`,
  );
});
afterAll(async () => {
  await gateway.stop();
  await rm(folder, { recursive: true });
});

const run = (...args: string[]) => cli(gateway.database.url, "export-log", "--place", folder, ...args);

it("the hours of a period are exported to a place, and hours without calls have no files", async () => {
  const result = await run("--from", "2026-11-01T04", "--to", "2026-11-01T07:00Z", "--json");
  expect(result).toMatchObject({ exitCode: 0 });
  expect(result.json()).toMatchObject({ place: folder, rows: 2, files: 2 });
  expect((await readdir(join(folder, "logs/date=2026-11-01"))).sort()).toEqual(["hour=05", "hour=06"]);
  expect((await run("--from", "2026-11-01", "--to", "2026-11-02")).out).toContain("4 rows of 24 hours");
  expect((await readdir(join(folder, "logs/date=2026-11-01"))).length).toBe(4);
});

it("a period that is empty, or not made of hours, is refused", async () => {
  expect(await run("--from", "2026-11-02", "--to", "2026-11-01")).toMatchObject({ exitCode: 2 });
  expect(await run("--from", "2000-01-01", "--to", "2026-11-01")).toMatchObject({ exitCode: 2 });
  for (const wrong of ["yesterday", "2026-11-01T05:30", "2026-13-01", "2026-11-01T25"])
    expect(await run("--from", wrong, "--to", "2026-12-01"), wrong).toMatchObject({ exitCode: 2 });
});
