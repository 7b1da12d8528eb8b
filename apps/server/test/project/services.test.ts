import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { startThrowAwayPostgres } from "#test/run/services.ts";

it("cleans up after a killed run, and does not end an unrelated process that reused its Postgres' process id", async () => {
  const other = spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"], { stdio: "ignore" });
  await once(other, "spawn");
  const ended = once(other, "exit");
  const gone = spawnSync(process.execPath, ["-e", ""]).pid;
  const folder = mkdtempSync(join(tmpdir(), "gateway-test-"));
  mkdirSync(join(folder, "postgres"));
  writeFileSync(join(folder, "postgres", "postmaster.pid"), `${other.pid}\n`);
  writeFileSync(join(folder, "owner"), String(gone));

  const postgres = await startThrowAwayPostgres();
  await postgres.stop();
  expect(existsSync(folder)).toBe(false);
  other.kill("SIGTERM");
  expect(await ended).toEqual([null, "SIGTERM"]);
});
