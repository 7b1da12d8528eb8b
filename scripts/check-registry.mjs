// node scripts/check-registry.mjs: pushes the image to a registry on this machine, as a release does, removes it here, and
// starts deploy/compose.image.yml with what the registry returns, until the first call. Needs a Docker engine on this
// machine, and Compose 2.24 or newer.
//   --image NAME   pushes an existing image instead of building one
// NODE_IMAGE, POSTGRES_IMAGE and REDIS_IMAGE in the environment replace the images of those files.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { fail, requireNode, root, say } from "./steps.mjs";
import { Project, requireEngine } from "./testing/compose-project.mjs";
import { docker, firstCall, freePort, setupPath, waitFor } from "./testing/containers.mjs";
import { provide } from "./testing/services.mjs";

requireNode();
requireEngine();
provide("registry");
const { values: options } = parseArgs({ options: { image: { type: "string" } } });
const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
const registry = await startRegistry();
const image = `localhost:${registry.port}/gateway:${version}`;
try {
  await waitFor(`http://127.0.0.1:${registry.port}/v2/`, registry.log);
  if (options.image === undefined) build();
  else docker("tag", options.image, image);
  docker("push", "-q", image);
  const pushed = digestOf(image);
  docker("rmi", image);
  say(`pushed ${image} as ${pushed}`);
  await start(pushed);
} finally {
  docker("rmi", "-f", image);
  await registry.stop();
}

function build() {
  say("building the image");
  const { NODE_IMAGE } = process.env;
  const base = NODE_IMAGE === undefined ? [] : ["--build-arg", `NODE_IMAGE=${NODE_IMAGE}`];
  docker("build", "--network", "host", "-q", ...base, "-t", image, root);
}

/** Starts Compose, which has to pull the image, and makes the first call. */
async function start(pushed) {
  const port = await freePort();
  const project = new Project({ GATEWAY_IMAGE: image, PORT: String(port) }, [
    "docker-compose.yml",
    "deploy/compose.image.yml",
  ]);
  try {
    const { services } = JSON.parse(project.run("--profile", "nodes", "config", "--format", "json"));
    if (Object.values(services).some((service) => service.build !== undefined))
      fail("compose.image.yml still builds. It needs Docker Compose 2.24 or newer.");
    const started = Date.now();
    project.run("up", "-d");
    const base = `http://127.0.0.1:${port}`;
    await waitFor(`${base}/api/ready`, () => project.logs());
    await firstCall(base, await setupPath(() => project.run("logs", "--no-color", "server")));
    const seconds = ((Date.now() - started) / 1000).toFixed(1);
    const running = docker("inspect", "--format", "{{.Image}}", project.container("server")).trim();
    const pulled = digestOf(running);
    if (pulled !== pushed) fail(`The server runs ${pulled}, not the pushed ${pushed}.`);
    say(`pulled the same digest; first call ${seconds} s after docker compose up`);
  } finally {
    project.remove();
  }
}

/** Returns the digest under which this registry has an image. */
function digestOf(name) {
  const digests = JSON.parse(docker("inspect", "--format", "{{json .RepoDigests}}", name));
  return digests.find((digest) => digest.startsWith(`localhost:${registry.port}/`));
}

async function startRegistry() {
  const port = await freePort();
  const folder = mkdtempSync(join(tmpdir(), "gateway-registry-"));
  const file = join(folder, "config.yml");
  const storage = { filesystem: { rootdirectory: join(folder, "images") } };
  // YAML contains JSON.
  writeFileSync(file, JSON.stringify({ version: "0.1", storage, http: { addr: `127.0.0.1:${port}` } }));
  // A pipe would fill up, because this process reads nothing while it waits for docker.
  const log = join(folder, "log");
  const output = openSync(log, "w");
  const server = spawn("docker-registry", ["serve", file], { stdio: ["ignore", output, output] });
  closeSync(output);
  const ended = once(server, "close");
  const stop = async () => {
    server.kill();
    await ended;
    rmSync(folder, { recursive: true });
  };
  return { port, stop, log: () => readFileSync(log, "utf8").slice(-2_000) };
}
