// node scripts/check-compose.mjs: tests docker-compose.yml on a real engine, from an empty installation to
// the first call, in its own project that is removed afterwards.
//   --image NAME   tests an existing image instead of building one
// NODE_IMAGE, POSTGRES_IMAGE, REDIS_IMAGE and CADDY_IMAGE in the environment replace the images of those files.
import { spawnSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fail, requireNode, root, say } from "./steps.mjs";
import { Project, requireEngine } from "./testing/compose-project.mjs";
import { apiVersion, docker, firstCall, freePort, setupPath, waitFor } from "./testing/containers.mjs";
import { checkRestricted, checkSingleContainer } from "./testing/single-container.mjs";

/** Maximum size of /app in the image. The base image with Node is not included. */
const LARGEST_APP_MB = 115;
const started = Date.now();

async function check() {
  const given = process.argv.indexOf("--image");
  const isGiven = given !== -1;
  const image = isGiven ? process.argv[given + 1] : `gateway-check:${randomBytes(4).toString("hex")}`;
  const port = await freePort();
  const project = new Project({ GATEWAY_IMAGE: image, PORT: String(port) });
  try {
    if (!isGiven) {
      say("building the image");
      const { NODE_IMAGE } = process.env;
      const base = NODE_IMAGE === undefined ? [] : ["--build-arg", `NODE_IMAGE=${NODE_IMAGE}`];
      docker("build", "--network", "host", "-q", ...base, "-t", image, root);
    }
    const size = Number(docker("run", "--rm", "--entrypoint", "du", image, "-sm", "/app").split("\t")[0]);
    if (size > LARGEST_APP_MB) fail(`/app in the image is ${size} MB; ${LARGEST_APP_MB} is the limit.`);

    const upSince = Date.now();
    project.run("up", "-d", "--no-build");
    const base = `http://127.0.0.1:${port}`;
    await waitFor(`${base}/api/ready`, () => project.logs());
    const upMs = Date.now() - upSince;
    const session = await firstCall(base, await setupPath(() => project.run("logs", "--no-color", "server")));
    const total = Date.now() - upSince;
    const memory = docker("stats", "--no-stream", "--format", "{{.MemUsage}}", project.container("server"));

    say("a Postgres password with special characters, on the existing volume");
    project.env.POSTGRES_PASSWORD = "p@ss/w:rd#1 '\"%\\";
    project.run("up", "-d", "--no-build");
    await waitFor(`${base}/api/ready`, () => project.logs());
    const self = await fetch(`${base}/api/user/self`, { headers: { ...apiVersion, cookie: session } });
    if (!self.ok) fail(`The session is lost after a restart: ${self.status}.`);

    await severalNodes(project, session);
    await checkSingleContainer(image);
    await checkRestricted(image, imageOf("POSTGRES_IMAGE"));
    say(
      `docker compose up: ready after ${seconds(upMs)}, first call after ${seconds(total)}; ` +
        `/app ${size} MB; memory ${memory.split(" /")[0].trim()}; whole check ${seconds(Date.now() - started)}`,
    );
  } finally {
    project.remove();
    if (!isGiven) docker("rmi", "-f", image);
  }
}

/** Starts two more nodes behind one address, if the image of the proxy is present or can be pulled. */
async function severalNodes(project, cookie) {
  const caddy = imageOf("CADDY_IMAGE");
  if (!canGet(caddy)) return say(`several nodes: not checked, the image ${caddy} cannot be fetched here`);
  const port = await freePort();
  Object.assign(project.env, { PROXY_PORT: String(port), TRUST_PROXY: "172.16.0.0/12" });
  project.run("--profile", "nodes", "up", "-d", "--no-build", "--scale", "node=2");
  const base = `http://127.0.0.1:${port}`;
  await waitFor(`${base}/api/ready`, () => project.logs());
  for (let call = 0; call < 30; call += 1) {
    const self = await fetch(`${base}/api/user/self`, { headers: { ...apiVersion, cookie } });
    if (!self.ok) fail(`A node behind the proxy does not know the session: ${self.status}.`);
  }
  project.run("--profile", "nodes", "rm", "-s", "-f", "node", "proxy");
  say("several nodes: 30 of 30 calls through one address");
}

/** Returns the image of a variable of docker-compose.yml: that of the environment, or the default. */
function imageOf(variable) {
  const file = readFileSync(join(root, "docker-compose.yml"), "utf8");
  return process.env[variable] ?? new RegExp(`${variable}:-([^}]+)\\}`).exec(file)?.[1];
}

function canGet(image) {
  const run = (...args) => spawnSync("docker", args, { stdio: "ignore", timeout: 120_000 }).status === 0;
  return run("image", "inspect", image) || run("pull", image);
}

function seconds(ms) {
  return `${(ms / 1000).toFixed(1)} s`;
}

requireNode();
requireEngine();
await check();
