// The image without Compose: one container with its own Postgres, and a container with as few rights as a cluster
// gives it.
import { spawnSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { fail, say } from "../steps.mjs";
import { apiVersion, docker, firstCall, freePort, setupPath, waitFor } from "./containers.mjs";

/** Patience for a machine under load. An idle node ends in about six seconds, of which five are DRAIN_SECONDS. */
const STOP_SECONDS = 60;

const isCacheUsed =
  "(({ enableCompileCache, constants }) => " +
  "enableCompileCache().status === constants.compileCacheStatus.ALREADY_ENABLED)(require('node:module'))";

/** `docker run` with a volume: first call, stop, a killed container, and another container on the same volume. */
export async function checkSingleContainer(image) {
  const name = uniqueName();
  const port = await freePort();
  const base = `http://127.0.0.1:${port}`;
  const start = () => docker("run", "-d", "--name", name, "-p", `${port}:3000`, "-v", `${name}:/data`, image);
  const isReady = () => waitFor(`${base}/api/ready`, () => logsOf(name));
  try {
    start();
    await isReady();
    const cookie = await firstCall(base, await setupPath(() => logsOf(name)));
    const program = ["exec", name, "node", "-p", isCacheUsed];
    if (!docker(...program).startsWith("true")) fail("The compiled code in the image is not used.");
    const stopping = Date.now();
    docker("stop", "--time", String(STOP_SECONDS), name);
    const stopMs = Date.now() - stopping;
    const exitCode = docker("inspect", "--format", "{{.State.ExitCode}}", name).trim();
    if (exitCode !== "0") fail(`The container ended with ${exitCode} after ${stopMs} ms.`);
    docker("start", name);
    await isReady();
    docker("kill", name);
    docker("start", name);
    await isReady();
    docker("rm", "-f", name);
    start();
    await isReady();
    const self = await fetch(`${base}/api/user/self`, { headers: { ...apiVersion, cookie } });
    if (!self.ok) fail(`The session is lost with a new container on the volume: ${self.status}.`);
    const audit = docker("exec", name, "gateway", "audit");
    if (!audit.includes("drift 0")) fail("gateway audit: " + audit);
    say(`one container: stopped in ${stopMs} ms; killed and replaced, the database is kept`);
  } finally {
    docker("rm", "-f", "-v", name);
    docker("volume", "rm", "-f", name);
  }
}

/** A read-only root file system, no capabilities, and a user ID that the image does not know. */
export async function checkRestricted(image, postgresImage) {
  const name = uniqueName();
  const port = await freePort();
  const base = `http://127.0.0.1:${port}`;
  const database = ["POSTGRES_USER=gateway", "POSTGRES_HOST_AUTH_METHOD=trust", "LANG=C.UTF-8"];
  const rights = [
    "--read-only",
    "--cap-drop",
    "ALL",
    "--security-opt",
    "no-new-privileges",
    "--user",
    "1234567:0",
  ];
  const folders = ["--tmpfs", "/tmp", "--tmpfs", "/data:mode=1777"];
  try {
    docker("network", "create", name);
    docker(
      "run",
      "-d",
      "--name",
      `${name}-db`,
      "--network",
      name,
      ...database.flatMap((value) => ["-e", value]),
      postgresImage,
    );
    const address = ["-e", `DATABASE_URL=postgres://gateway@${name}-db/gateway`, "-e", "WORKERS=2"];
    const network = ["--network", name, "-p", `${port}:3000`];
    docker("run", "-d", "--name", name, ...rights, ...folders, ...network, ...address, image);
    await waitFor(`${base}/api/ready`, () => logsOf(name));
    await firstCall(base, await setupPath(() => logsOf(name)));
    const errors = logsOf(name).match(/^.*(EROFS|EACCES|read-only|permission denied).*$/gim);
    if (errors !== null) fail(`The log names files that could not be written:\n${errors.join("\n")}`);
    docker("exec", name, "gateway-health");
    const migrate = ["--network", name, ...address, image, "gateway", "migrate"];
    const migrated = docker("run", "--rm", ...rights, ...folders, ...migrate);
    if (!migrated.includes("up to date")) fail("gateway migrate: " + migrated);
    say("restricted container: first call as user 1234567, without capabilities, on a read-only file system");
  } finally {
    docker("rm", "-f", "-v", name, `${name}-db`);
    docker("network", "rm", name);
  }
}

/** Returns both streams of a container's log: the reason of a failed start is on standard error. */
function logsOf(name) {
  const { stdout, stderr } = spawnSync("docker", ["logs", name], { encoding: "utf8", timeout: 30_000 });
  return `${stdout}${stderr}`;
}

function uniqueName() {
  return `gateway-check-${randomBytes(4).toString("hex")}`;
}
