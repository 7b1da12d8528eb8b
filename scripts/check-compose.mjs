// node scripts/check-compose.mjs: tests docker-compose.yml on a real engine, from an empty installation to
// the first call, in its own project that is removed afterwards. `npm test` runs it where an engine is
// available.
//   --image NAME   tests an existing image instead of building one
// NODE_IMAGE, POSTGRES_IMAGE, REDIS_IMAGE and CADDY_IMAGE in the environment replace the images of those files.
import { execFileSync, spawnSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { fail, requireNode, root, say } from "./steps.mjs";

/** Maximum size of /app in the image. The base image with Node is not included. */
const LARGEST_APP_MB = 125;
const started = Date.now();

/** Returns whether a Docker engine and Compose are available on this machine. */
export function hasEngine() {
  return spawnSync("docker", ["info"], { stdio: "ignore" }).status === 0 && compose() !== undefined;
}

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
    await answers(`${base}/api/ready`, project);
    const upMs = Date.now() - upSince;
    const session = await firstCall(base, setupPath(project.run("logs", "--no-color", "server")));
    const total = Date.now() - upSince;
    const memory = docker("stats", "--no-stream", "--format", "{{.MemUsage}}", project.container("server"));

    say("a Postgres password with special characters, on the existing volume");
    project.env.POSTGRES_PASSWORD = "p@ss/w:rd#1 '\"%\\";
    project.run("up", "-d", "--no-build");
    await answers(`${base}/api/ready`, project);
    const self = await fetch(`${base}/api/user/self`, { headers: { ...version, cookie: session } });
    if (!self.ok) fail(`The session is lost after a restart: ${self.status}.`);

    await severalNodes(project, session);
    say(
      `docker compose up: ready after ${seconds(upMs)}, first call after ${seconds(total)}; ` +
        `/app ${size} MB; memory ${memory.split(" /")[0].trim()}; whole check ${seconds(Date.now() - started)}`,
    );
  } finally {
    project.remove();
    if (!isGiven) docker("rmi", "-f", image);
  }
}

const version = { "api-version": "2" };

/**
 * Returns the path of the one-time link in the log. The log has no host name, because the server does not
 * know it.
 */
function setupPath(log) {
  const path = log.match(/create one: (\/setup\?token=\S+)\s*$/m)?.[1];
  if (path === undefined) fail(`The log has no plain line with the set-up path:\n${log.slice(-2_000)}`);
  return path;
}

/**
 * Completes set-up with the demo provider, a channel, a token and one chat call. Returns the session's
 * cookie.
 */
async function firstCall(base, setup) {
  const send = async (method, path, body, headers = {}) => {
    const response = await fetch(`${base}${path}`, {
      method,
      headers: { "content-type": "application/json", origin: base, ...version, ...headers },
      body: JSON.stringify(body),
    });
    const text = await response.text();
    if (!response.ok) fail(`${method} ${path} answered ${response.status}: ${text.slice(0, 500)}`);
    return { response, json: JSON.parse(text) };
  };
  const token = new URL(setup, base).searchParams.get("token");
  const account = { token, username: "root", password: "correct horse battery", demo: true };
  const { response } = await send("POST", "/api/setup", account);
  const cookie = response.headers.getSetCookie()[0].split(";")[0];
  const channel = { type: 900, name: "Demo", models: ["demo-chat"], groups: ["default"] };
  await send("POST", "/api/channel", channel, { cookie });
  const made = await send("POST", "/api/token", { name: "first", unlimited_quota: true }, { cookie });
  const key = made.json.data.key.replace(/^(sk-)?/, "sk-");
  const call = { model: "demo-chat", messages: [{ role: "user", content: "Hello" }] };
  const answer = await send("POST", "/v1/chat/completions", call, { authorization: `Bearer ${key}` });
  if (answer.json.choices?.[0]?.message?.content === undefined)
    fail("The first call has no answer: " + JSON.stringify(answer.json));
  return cookie;
}

/** Starts two more nodes behind one address, if the image of the proxy is present or can be pulled. */
async function severalNodes(project, cookie) {
  const compose = readFileSync(join(root, "docker-compose.yml"), "utf8");
  const caddy = process.env.CADDY_IMAGE ?? /CADDY_IMAGE:-([^}]+)\}/.exec(compose)?.[1];
  if (!canGet(caddy)) return say(`several nodes: not checked, the image ${caddy} cannot be fetched here`);
  const port = await freePort();
  Object.assign(project.env, { PROXY_PORT: String(port), TRUST_PROXY: "172.16.0.0/12" });
  project.run("--profile", "nodes", "up", "-d", "--no-build", "--scale", "node=2");
  const base = `http://127.0.0.1:${port}`;
  await answers(`${base}/api/ready`, project);
  for (let call = 0; call < 30; call += 1) {
    const self = await fetch(`${base}/api/user/self`, { headers: { ...version, cookie } });
    if (!self.ok) fail(`A node behind the proxy does not know the session: ${self.status}.`);
  }
  project.run("--profile", "nodes", "rm", "-s", "-f", "node", "proxy");
  say("several nodes: 30 of 30 calls through one address");
}

function canGet(image) {
  const run = (...args) => spawnSync("docker", args, { stdio: "ignore", timeout: 120_000 }).status === 0;
  return run("image", "inspect", image) || run("pull", image);
}

/** A Compose project of its own. Its environment replaces a .env file of this checkout. */
class Project {
  constructor(env) {
    this.name = `gateway-check-${randomBytes(4).toString("hex")}`;
    this.env = env;
    this.folder = mkdtempSync(join(tmpdir(), "gateway-check-"));
    this.envFile = join(this.folder, "empty.env");
    writeFileSync(this.envFile, "");
  }

  remove() {
    this.run("--profile", "nodes", "down", "-v", "--timeout", "20");
    rmSync(this.folder, { recursive: true });
  }

  run(...args) {
    const [program, ...first] = compose();
    const files = ["-p", this.name, "--env-file", this.envFile, "-f", join(root, "docker-compose.yml")];
    return execute(program, [...first, ...files, ...args], { ...process.env, ...this.env });
  }

  container(service) {
    return this.run("ps", "-q", service).trim();
  }
}

function compose() {
  for (const command of [["docker", "compose"], ["docker-compose"]]) {
    const [program, ...args] = command;
    if (spawnSync(program, [...args, "version"], { stdio: "ignore" }).status === 0) return command;
  }
  return undefined;
}

function docker(...args) {
  return execute("docker", args, process.env);
}

function execute(program, args, env) {
  try {
    const options = { env, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"], maxBuffer: 100_000_000 };
    return execFileSync(program, args, { ...options, timeout: 900_000 });
  } catch (error) {
    return fail(
      `${program} ${args.join(" ")} failed:\n${error.stdout ?? ""}${error.stderr ?? error.message}`,
    );
  }
}

async function answers(url, project) {
  for (let tries = 0; tries < 240; tries += 1) {
    // While the container starts, its port may accept a connection and drop it. Node 20 then leaves the request pending
    // with nothing that keeps the process alive; the timer of `sleep` does.
    const request = fetch(url, { signal: AbortSignal.timeout(5_000) }).catch(() => undefined);
    const response = await Promise.race([request, sleep(6_000)]);
    if (response?.ok) return;
    await sleep(500);
  }
  fail(`${url} does not answer.\n${project.run("logs", "--no-color", "--tail", "5")}`);
}

function seconds(ms) {
  return `${(ms / 1000).toFixed(1)} s`;
}

function freePort() {
  return new Promise((resolve) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  requireNode();
  if (!hasEngine()) fail("No Docker engine with Compose answers here. Start one, or set DOCKER_HOST.");
  await check();
}
