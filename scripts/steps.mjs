// Steps that `npm start`, `npm test` and `pnpm dev` share. Each runs only when its inputs have changed. Plain
// JavaScript for Node 20, because it runs before anything is installed.
import { spawn, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { delimiter, dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";

export const root = dirname(dirname(fileURLToPath(import.meta.url)));
const pinnedNode = join(root, "node_modules/node/bin/node");
const stamps = join(root, "node_modules/.gateway");
const web = join(root, "apps/web");

export function requireNode() {
  if (Number(process.versions.node.split(".")[0]) >= 20) return;
  fail(`The gateway needs Node 20 or newer; this is Node ${process.versions.node}.`);
}

/**
 * Returns the Node that runs the gateway: the pinned one, or (in an image that is built on it) the current
 * one.
 */
export function node24() {
  return existsSync(pinnedNode) ? pinnedNode : process.execPath;
}

/**
 * Returns the environment for the project's tools: the pinned Node and the installed programs come first on
 * PATH.
 */
export function toolEnvironment(folder = root) {
  const path = [
    dirname(node24()),
    join(folder, "node_modules/.bin"),
    join(root, "node_modules/.bin"),
    process.env.PATH,
  ];
  return { ...process.env, PATH: path.join(delimiter) };
}

/** Installs with pnpm when the lockfile or a manifest has changed. Otherwise uses no network. */
export function install() {
  const manifests = [
    "package.json",
    "pnpm-lock.yaml",
    "pnpm-workspace.yaml",
    ...packages().map((at) => `${at}/package.json`),
  ];
  const hash = hashOf(
    manifests.map((file) => join(root, file)),
    process.platform,
    process.arch,
  );
  const complete =
    existsSync(pinnedNode) && packages().every((at) => existsSync(join(root, at, "node_modules")));
  if (complete && readStamp("install") === hash) return;
  say("Installing dependencies (once; a minute or so)");
  rmSync(join(stamps, "install"), { force: true });
  // NODE_ENV=production would skip the build tools. CI prevents pnpm from prompting.
  const env = { ...process.env, NODE_ENV: "", CI: "true" };
  const result = spawnSync("npx", ["--yes", "pnpm@12", "install", "--frozen-lockfile"], {
    cwd: root,
    env,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "pipe"],
    maxBuffer: 100_000_000,
  });
  if (result.status !== 0) {
    const output = `${result.stdout ?? ""}${result.stderr ?? ""}`.trim().split("\n").slice(-30).join("\n");
    fail(
      `${output}\n\nInstalling the dependencies failed. It needs npx (it comes with npm) and the npm registry.`,
    );
  }
  writeStamp("install", hash);
}

function packages() {
  return ["apps", "packages"].flatMap((group) =>
    readdirSync(join(root, group))
      .map((name) => `${group}/${name}`)
      .filter((at) => existsSync(join(root, at, "package.json"))),
  );
}

/** Generates the database client when the schema or Prisma has changed. */
export function generate() {
  const output = join(root, "apps/server/src/platform/prisma/client.ts");
  const inputs = [join(root, "prisma/schema"), join(root, "prisma.config.ts"), join(root, "pnpm-lock.yaml")];
  const hash = hashOf(inputs);
  if (existsSync(output) && readStamp("generate") === hash) return;
  say("Generating the database client");
  rmSync(join(stamps, "generate"), { force: true });
  run(node24(), ["scripts/prisma.mjs", "generate"], root);
  writeStamp("generate", hash);
}

/** Builds the console when its sources have changed. Needs no network. */
export function buildWeb() {
  const entry = join(web, "dist/index.html");
  const inputs = [web, join(root, "packages/shared"), join(root, "docs"), join(root, "pnpm-lock.yaml")];
  const sources = hashOf(inputs);
  // A manual build changes the entry's modification time, so that it is not mistaken for a build of these
  // sources.
  const stampOf = () => `${sources} ${statSync(entry).mtimeMs}`;
  if (existsSync(entry) && readStamp("web") === stampOf()) return;
  say("Building the console");
  rmSync(join(stamps, "web"), { force: true });
  run(node24(), [join(web, "node_modules/vite/bin/vite.js"), "build", "--logLevel", "warn"], web, {
    NODE_ENV: "production",
  });
  writeStamp("web", stampOf());
}

/** Folder of Node's compile cache, so that the next start does not compile again. */
export const compileCache = join(stamps, "compile-cache");

/** Bundles the server when its modules or libraries have changed. Returns the file to run. */
export function buildServer() {
  const main = join(root, "apps/server/dist/bundle/main.js");
  const inputs = [
    "apps/server/src",
    "apps/server/package.json",
    "packages",
    "scripts/bundle.mjs",
    "pnpm-lock.yaml",
  ];
  const hash = hashOf(inputs.map((path) => join(root, path)));
  if (existsSync(main) && readStamp("server") === hash) return main;
  say("Building the server");
  rmSync(join(stamps, "server"), { force: true });
  rmSync(compileCache, { recursive: true, force: true });
  run(node24(), ["scripts/bundle.mjs"], root);
  writeStamp("server", hash);
  return main;
}

/** Runs a tool silently. Prints its output and stops when it fails. */
function run(program, args, cwd, more = {}) {
  const env = { ...toolEnvironment(cwd), NODE_ENV: "", NO_COLOR: "1", ...more };
  const result = spawnSync(program, args, { cwd, env, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
  if (result.status === 0) return;
  fail(
    `${result.stdout ?? ""}${result.stderr ?? ""}${result.error?.message ?? ""}\n${relative(root, args[0])} failed.`,
  );
}

/**
 * Returns Node's flags for the server's programs. They load a .env next to package.json; the environment
 * takes precedence.
 */
export function serverFlags() {
  return existsSync(join(root, ".env")) ? ["--env-file=.env"] : [];
}

/**
 * Flags of Node for the gateway. By default V8 collects garbage on four further threads, which compete with the main
 * thread for the cores. One does the work for a heap of this size with less CPU time for large bodies.
 */
export const gatewayFlags = ["--v8-pool-size=1"];

/** Starts a long-running program in the same terminal, forwards signals to it, and exits with its status. */
export function hand(program, args, options = {}) {
  const child = spawn(program, args, {
    cwd: root,
    stdio: ["inherit", "inherit", "inherit", "ipc"],
    ...options,
  });
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => child.kill(signal));
  child.once("error", (error) => fail(`${program} could not be started: ${error.message}`));
  child.once("exit", (code, signal) => {
    if (signal === null) process.exit(code ?? 1);
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
  });
  return child;
}

/**
 * Replaces this process with a program, so that nothing stays beside it. Starts it as a child where Node cannot do
 * that: before Node 22.15, and on Windows.
 */
export function become(program, args, env) {
  if (process.platform === "win32" || typeof process.execve !== "function")
    return hand(program, args, { env });
  process.chdir(root);
  const given = Object.entries(env).filter(([, value]) => value !== undefined);
  process.execve(program, [program, ...args], Object.fromEntries(given));
}

const ignored = new Set(["node_modules", "dist", "e2e", "test-results", ".turbo", "coverage"]);

/** Returns a hash over the content of files and folders, without tests. */
function hashOf(paths, ...more) {
  const hash = createHash("sha256").update(more.join());
  for (const path of paths)
    for (const file of filesIn(path)) hash.update(relative(root, file)).update(readFileSync(file));
  return hash.digest("hex");
}

function filesIn(path) {
  if (!statSync(path).isDirectory()) return /\.test\.tsx?$/.test(path) ? [] : [path];
  return readdirSync(path)
    .sort()
    .filter((name) => !ignored.has(name))
    .flatMap((name) => filesIn(join(path, name)));
}

function readStamp(name) {
  const path = join(stamps, name);
  return existsSync(path) ? readFileSync(path, "utf8") : "";
}

function writeStamp(name, text) {
  mkdirSync(stamps, { recursive: true });
  writeFileSync(join(stamps, name), text);
}

export function say(sentence) {
  console.log(`» ${sentence}`);
}

/** An error that the user has to fix; printed without a stack. */
class StepFailed extends Error {}

export function fail(sentence) {
  throw new StepFailed(sentence);
}

process.on("uncaughtException", (error) => {
  console.error(error instanceof StepFailed ? error.message : error);
  process.exit(1);
});
