// Runs the tests' programs so that none of them outlives the run, even if the run is killed.
import { spawn, spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { root } from "../steps.mjs";

/** A run has this many minutes; a suite that hangs is ended. */
const LONGEST_MINUTES = 45;

/** The process groups of the current run, one number per line. The next run ends those of a run that was killed. */
const groupsFile = join(root, "node_modules/.gateway/test-processes");
const groups = new Set();

export function endEarlierRun() {
  for (const line of readIfThere(groupsFile).split("\n")) {
    const [owner, group] = line.split(" ").map(Number);
    if (group > 0 && !isAlive(owner) && isOurs(group)) kill(group, "SIGKILL");
  }
  writeGroups();
}

/**
 * Runs a program in a process group of its own, and passes on each line that it prints.
 * @returns what went wrong, if anything
 */
export function run(program, args, options, onLine) {
  return new Promise((resolve) => {
    const child = spawn(program, args, { ...options, stdio: ["ignore", "pipe", "pipe"], detached: true });
    if (child.pid !== undefined) groups.add(child.pid);
    writeGroups();
    let isLate = false;
    const timer = setTimeout(() => {
      isLate = true;
      kill(child.pid, "SIGKILL");
    }, LONGEST_MINUTES * 60_000);
    for (const stream of [child.stdout, child.stderr])
      createInterface({ input: stream, crlfDelay: Infinity }).on("line", onLine);
    child.once("error", (error) => finish(error.message));
    child.once("close", (code, signal) => {
      if (isLate) finish(`did not end within ${LONGEST_MINUTES} minutes`);
      else finish(code === 0 ? undefined : `ended with ${signal ?? code}`);
    });
    function finish(trouble) {
      clearTimeout(timer);
      // What the program has left behind, for example after a crash.
      kill(child.pid, "SIGKILL");
      groups.delete(child.pid);
      writeGroups();
      resolve(trouble);
    }
  });
}

for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"])
  process.once(signal, () => {
    // The programs stop their own services first.
    for (const group of groups) kill(group, "SIGTERM");
    setTimeout(() => process.exit(1), 5_000).unref();
    if (groups.size === 0) process.exit(1);
  });
process.once("exit", () => {
  for (const group of groups) kill(group, "SIGKILL");
  rmSync(groupsFile, { force: true });
});

function writeGroups() {
  mkdirSync(dirname(groupsFile), { recursive: true });
  writeFileSync(groupsFile, [...groups].map((group) => `${process.pid} ${group}`).join("\n"));
}

/** The number of a group that has ended can belong to another program by now. */
function isOurs(group) {
  const { stdout } = spawnSync("ps", ["-A", "-o", "pgid=,args="], { encoding: "utf8" });
  return (stdout ?? "")
    .split("\n")
    .some((line) => Number.parseInt(line, 10) === group && line.includes(root));
}

function kill(group, signal) {
  if (!(group > 0)) return;
  try {
    process.kill(-group, signal);
  } catch {
    // It has ended.
  }
}

function isAlive(pid) {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

function readIfThere(path) {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}
