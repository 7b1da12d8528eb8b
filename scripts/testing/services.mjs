// The programs of the system that the tests need. As root on Debian they are installed automatically.
import { spawnSync } from "node:child_process";
import { existsSync, statfsSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { fail, root, say } from "../steps.mjs";

const LEAST_FREE_GB = 2;

/** The headless shell needs half the time of the whole browser, which is used where there is no shell. */
const browsers = ["chromium-headless-shell", "chromium", "chromium-browser", "google-chrome"];

/** What a subject needs: its programs (one of them is enough), and the Debian packages that have them. */
const needs = {
  redis: { programs: ["redis-server"], packages: ["redis-server"] },
  browser: {
    programs: browsers,
    packages: ["chromium-headless-shell", "fonts-noto-cjk", "fonts-noto-color-emoji"],
  },
  mariadb: { programs: ["mariadbd"], packages: ["mariadb-server-core", "mariadb-client-core"] },
  nginx: { programs: ["nginx"], packages: ["nginx-light"] },
  caddy: { programs: ["caddy"], packages: ["caddy"] },
  pgbouncer: { programs: ["pgbouncer"], packages: ["pgbouncer"] },
  openssl: { programs: ["openssl"], packages: ["openssl"] },
  prometheus: { programs: ["prometheus"], packages: ["prometheus"] },
  registry: { programs: ["docker-registry"], packages: ["docker-registry"] },
  python: { programs: ["python3"], packages: ["python3"] },
};

/**
 * Throws an error with the command to run if something is missing that cannot be installed here.
 * @param {...keyof needs} subjects
 */
export function provide(...subjects) {
  requireSpace();
  const packages = subjects
    .filter((subject) => !needs[subject].programs.some(isOnPath))
    .flatMap((subject) => needs[subject].packages);
  if (packages.length === 0) return;
  const command = `apt-get install -y --no-install-recommends ${packages.join(" ")}`;
  if (process.geteuid?.() !== 0 || !isOnPath("apt-get"))
    fail(`The tests need ${packages.join(", ")}. On Debian or Ubuntu: sudo ${command}`);
  say(`Installing ${packages.join(", ")}`);
  const trouble = installPackages(packages);
  if (trouble !== undefined)
    fail(
      `${trouble}\nThe tests need ${packages.join(", ")}, and “${command}” failed. Install them, then repeat.`,
    );
}

/** A full disk would end the run with an unrelated error of Postgres, the browser or the build. */
function requireSpace() {
  for (const folder of [root, tmpdir()]) {
    const { bavail, bsize } = statfsSync(folder);
    const freeGb = (bavail * bsize) / 1024 ** 3;
    if (freeGb < LEAST_FREE_GB)
      fail(
        `The tests need ${LEAST_FREE_GB} GB of free disk space in ${folder}; ${freeGb.toFixed(1)} GB are free. Delete files there, or set TMPDIR to another folder.`,
      );
  }
}

/** Returns what apt-get said, if it failed. */
function installPackages(packages) {
  const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive" };
  // Another apt-get can be running on a machine that has just started, and a mirror can be slow.
  const patience = ["-o", "DPkg::Lock::Timeout=300", "-o", "Acquire::Retries=3"];
  const apt = (...args) => spawnSync("apt-get", [...patience, ...args], { env, encoding: "utf8" });
  const update = apt("update");
  const result = apt("install", "-y", "--no-install-recommends", ...packages);
  return result.status === 0 ? undefined : `${update.stderr}${result.stderr}`.trim();
}

function isOnPath(program) {
  return (process.env.PATH ?? "").split(delimiter).some((folder) => existsSync(join(folder, program)));
}
