// The steps that `npm start`, `npm test` and `pnpm dev` share: each does its work only when what it depends on changed.
// Plain JavaScript for Node 20, because it runs before anything is installed.
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

/** The Node the gateway runs on: the pinned one, else (in an image that is built on it) the present one. */
export function node24() {
  return existsSync(pinnedNode) ? pinnedNode : process.execPath;
}

/** The environment for our own tools: the pinned Node and the installed programs come first on PATH. */
export function toolEnvironment(folder = root) {
  const path = [
    dirname(node24()),
    join(folder, "node_modules/.bin"),
    join(root, "node_modules/.bin"),
    process.env.PATH,
  ];
  return { ...process.env, PATH: path.join(delimiter) };
}

/** Installs with pnpm when the lockfile or a manifest changed since the last time; else touches no network. */
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
  // NODE_ENV=production would leave out the build tools; CI keeps pnpm from asking questions.
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

/** Writes the database client when the schema or Prisma changed. */
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

/** Builds the console when its sources changed. Needs no network. */
export function buildWeb() {
  const entry = join(web, "dist/index.html");
  const inputs = [web, join(root, "packages/shared"), join(root, "pnpm-lock.yaml")];
  const sources = hashOf(inputs);
  // A build by hand leaves another time on the entry, and then ours no longer knows what it was built from.
  const stampOf = () => `${sources} ${statSync(entry).mtimeMs}`;
  if (existsSync(entry) && readStamp("web") === stampOf()) return;
  say("Building the console");
  rmSync(join(stamps, "web"), { force: true });
  run(node24(), [join(web, "node_modules/vite/bin/vite.js"), "build", "--logLevel", "warn"], web, {
    NODE_ENV: "production",
  });
  writeStamp("web", stampOf());
}

/** Where Node keeps what it has compiled, so that the next start does not compile it again. */
export const compileCache = join(stamps, "compile-cache");

/** Joins the server's modules into a few files when they or its libraries changed; returns the one to run. */
export function buildServer() {
  const main = join(root, "apps/server/dist/bundle/main.js");
  const inputs = [
    "apps/server/src",
    "apps/server/package.json",
    "packages/shared",
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

/** Runs a tool quietly; shows what it output and stops when it fails. */
function run(program, args, cwd, more = {}) {
  const env = { ...toolEnvironment(cwd), NODE_ENV: "", NO_COLOR: "1", ...more };
  const result = spawnSync(program, args, { cwd, env, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
  if (result.status === 0) return;
  fail(
    `${result.stdout ?? ""}${result.stderr ?? ""}${result.error?.message ?? ""}\n${relative(root, args[0])} failed.`,
  );
}

/** Node's flags for the server's programs: a .env beside package.json is read, the environment wins over it. */
export function serverFlags() {
  return existsSync(join(root, ".env")) ? ["--env-file=.env"] : [];
}

/** Starts a long-running program that shares our terminal, passes signals on to it, and ends as it ends. */
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

const ignored = new Set(["node_modules", "dist", "e2e", "test-results", ".turbo", "coverage"]);

/** A hash over the content of files and folders; tests do not count. */
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

/** What a person has to mend; shown without a stack. */
class StepFailed extends Error {}

export function fail(sentence) {
  throw new StepFailed(sentence);
}

process.on("uncaughtException", (error) => {
  console.error(error instanceof StepFailed ? error.message : error);
  process.exit(1);
});
