/**
 * Loaded into the process of a gateway. Writes the stops of its event loop to a file in DATA_DIR, one line each: when it
 * ended (Unix milliseconds), and its length in milliseconds of this thread, without the time in which it had no processor.
 */
import { appendFileSync } from "node:fs";
import { join } from "node:path";

const EVERY_MS = 10;
const file = join(process.env["DATA_DIR"] ?? "", "loop-stops");
let last = performance.now();
let used = process.threadCpuUsage();

setInterval(() => {
  const { user, system } = process.threadCpuUsage(used);
  const stop = Math.min(performance.now() - last - EVERY_MS, (user + system) / 1_000);
  if (stop > EVERY_MS) appendFileSync(file, `${Date.now()} ${Math.round(stop)}\n`);
  last = performance.now();
  used = process.threadCpuUsage();
}, EVERY_MS).unref();
