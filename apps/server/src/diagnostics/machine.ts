/** Checks of the machine that the gateway runs on. */
import { readFile } from "node:fs/promises";
import { totalmem } from "node:os";
import { resolve } from "node:path";
import { freeBytes, writeProblem } from "#platform/disk-space.ts";
import { ok, problem, type Subject, warning } from "./finding.ts";

const gigabyte = 1_000_000_000;
const inGigabytes = (bytes: number) => (bytes / gigabyte).toFixed(1);
const mostSecondsApart = 2;

export async function clock({ database }: Subject) {
  const { rows } = await database.pool.query<{ at: Date }>("SELECT clock_timestamp() AS at");
  const apart = Math.abs(Date.now() - (rows[0]?.at.getTime() ?? 0)) / 1_000;
  return apart < mostSecondsApart
    ? ok("clock_correct")
    : problem("clock_apart", { seconds: apart.toFixed(1) });
}

export async function timeZone({ settings }: Subject) {
  const { TimeZone: zone } = await settings();
  return ok("time_zone", { zone });
}

export async function disk({ env }: Subject) {
  const folder = resolve(env.DATA_DIR);
  const reason = await writeProblem(folder);
  if (reason !== undefined) return problem("data_dir_unwritable", { folder, reason });
  const free = await freeBytes(folder);
  const params = { gigabytes: inGigabytes(free) };
  if (free > 5 * gigabyte) return ok("disk_free", params);
  return (free > gigabyte ? warning : problem)("disk_low", params);
}

export async function memory({ env }: Subject) {
  const budget = (env.MEMORY_BUDGET_MB ?? 0) * 1_000_000;
  const total = totalmem();
  const params = { gigabytes: inGigabytes(total) };
  if (total < gigabyte) return warning("memory_small", params);
  if (budget * env.workers > total * 0.8) return problem("memory_budget_large");
  return ok("memory_enough", params);
}

const fewestFiles = 4_096;

export async function descriptors() {
  const limits = await readFile("/proc/self/limits", "utf8").catch(() => "");
  const limit = Number(/^Max open files\s+(\d+)/m.exec(limits)?.[1] ?? Number.NaN);
  if (Number.isNaN(limit)) return ok("files_unknown");
  return limit >= fewestFiles ? ok("files_enough", { limit }) : warning("files_few", { limit });
}
