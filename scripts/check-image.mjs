// node scripts/check-image.mjs: tries the Dockerfile on a machine without a container engine.
// It reads the Dockerfile, gives every stage a folder, carries out WORKDIR, COPY (with .dockerignore), ENV and RUN in
// them on the committed files, then starts the last stage's CMD as a plain user and asks its HEALTHCHECK.
// Not proved here: the base image, the real isolation of the steps, and paths outside WORKDIR.
import { execFileSync, spawn } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join, matchesGlob, relative } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fail, node24, root, say } from "./steps.mjs";

if (Number(process.versions.node.split(".")[0]) < 24) {
  execFileSync(node24(), [import.meta.filename ?? new URL(import.meta.url).pathname], { stdio: "inherit" });
  process.exit(0);
}

const bench = mkdtempSync(join(tmpdir(), "gateway-image-"));
execFileSync("chmod", ["755", bench]);
const context = join(bench, "context");
const stages = new Map();
let stage;

try {
  mkdirSync(context);
  execFileSync("bash", ["-c", `git -C "${root}" archive HEAD | tar -x -C "${context}"`]);
  removeIgnored();
  for (const [word, rest] of instructions()) carryOut(word, rest);
  await tryToStart();
} finally {
  rmSync(bench, { recursive: true, force: true });
}

/** The Dockerfile as [instruction, rest] pairs, continuation lines joined. */
function instructions() {
  const text = readFileSync(join(root, "Dockerfile"), "utf8").replaceAll("\\\n", " ");
  const lines = text.split("\n").filter((line) => line.trim() !== "" && !line.startsWith("#"));
  return lines.map((line) => [line.slice(0, line.indexOf(" ")), line.slice(line.indexOf(" ") + 1).trim()]);
}

function removeIgnored() {
  const patterns = readFileSync(join(root, ".dockerignore"), "utf8")
    .split("\n")
    .filter((line) => line !== "");
  const files = execFileSync("find", [context, "-mindepth", "1"], { encoding: "utf8" }).trim().split("\n");
  for (const file of files) {
    const path = relative(context, file);
    if (patterns.some((pattern) => matchesGlob(path, pattern)))
      rmSync(file, { recursive: true, force: true });
  }
}

function carryOut(word, rest) {
  switch (word) {
    case "FROM": {
      const name = /\bAS (\S+)/i.exec(rest)?.[1] ?? "last";
      stage = { name, folder: join(bench, name), env: {}, workdir: "/" };
      mkdirSync(stage.folder);
      stages.set(name, stage);
      return;
    }
    case "WORKDIR":
      stage.workdir = rest;
      mkdirSync(inStage(stage, rest), { recursive: true });
      return;
    case "ENV":
      stage.env[rest.slice(0, rest.indexOf("="))] = rest.slice(rest.indexOf("=") + 1);
      return;
    case "COPY":
      return copy(rest.split(/\s+/));
    case "RUN":
      return runIn(rest);
    case "CMD":
      stage.command = JSON.parse(rest);
      return;
    case "HEALTHCHECK":
      stage.healthcheck = JSON.parse(rest.slice(rest.indexOf("CMD ") + 4));
      return;
    case "USER":
    case "EXPOSE":
    case "VOLUME":
      return;
    default:
      fail(`check-image does not know the instruction ${word}.`);
  }
}

function copy(words) {
  const from = words[0].startsWith("--from=") ? stages.get(words.shift().slice("--from=".length)) : undefined;
  const target = words.pop();
  for (const word of words) {
    const source = from === undefined ? join(context, word) : inStage(from, word);
    if (!existsSync(source))
      fail(`COPY: ${word} is not in the ${from === undefined ? "context" : from.name}.`);
    const intoFolder = !statSync(source).isDirectory() && (target.endsWith("/") || target === ".");
    const to = inStage(stage, intoFolder ? join(target, word.split("/").pop()) : target);
    mkdirSync(dirname(to), { recursive: true });
    cpSync(source, to, { recursive: true, verbatimSymlinks: true, force: true });
  }
}

function runIn(command) {
  // Outside a container these would touch the machine's own /data and accounts.
  if (command.includes("chown")) return say(`${stage.name}: skipped RUN ${command}`);
  say(`${stage.name}: RUN ${command}`);
  execFileSync("sh", ["-c", command], {
    cwd: inStage(stage, "."),
    env: environment(),
    stdio: ["ignore", "ignore", "inherit"],
  });
}

/** Like in the image: its own variables, the base image's Node first, and of ours only how to reach the registry. */
function environment() {
  const network = Object.entries(process.env).filter(([name]) =>
    /CERT|PROXY$|^npm_config_registry$/i.test(name),
  );
  const path = `${dirname(process.execPath)}:/usr/local/bin:/usr/bin:/bin`;
  return { ...Object.fromEntries(network), PATH: path, HOME: process.env.HOME, ...stage.env };
}

function inStage(at, path) {
  return join(at.folder, path.startsWith("/") ? path : join(at.workdir, path));
}

async function tryToStart() {
  const data = join(bench, "data");
  mkdirSync(data);
  const port = await freePort();
  const env = { ...environment(), HOME: data, DATA_DIR: data, PORT: String(port) };
  // A container starts as "node"; here "nobody" has as few rights.
  const plain = process.geteuid() === 0 ? { uid: 65_534, gid: 65_534 } : {};
  if (plain.uid !== undefined) execFileSync("chown", ["65534:65534", data]);
  const program = stage.command[0] === "node" ? process.execPath : stage.command[0];
  if (plain.uid !== undefined) cpSync(process.execPath, join(bench, "node"));
  const runner = plain.uid === undefined ? program : join(bench, "node");
  say(`starting ${stage.command.join(" ")} as a plain user, without node_modules of the build`);
  const child = spawn(runner, stage.command.slice(1), {
    cwd: inStage(stage, "."),
    env,
    ...plain,
    stdio: "inherit",
  });
  const ended = new Promise((resolve) => child.once("exit", (code) => resolve(code)));
  try {
    for (let attempt = 0; ; attempt++) {
      if (child.exitCode !== null) fail(`The image's program ended with code ${child.exitCode}.`);
      try {
        execFileSync(process.execPath, stage.healthcheck.slice(1), { env, stdio: "ignore" });
        break;
      } catch {
        if (attempt === 120) fail("The image's health check did not pass within a minute.");
        await sleep(500);
      }
    }
    const page = await fetch(`http://127.0.0.1:${port}/`);
    if (!page.ok || !(await page.text()).includes("<script")) fail("The image does not serve the console.");
  } finally {
    child.kill("SIGTERM");
  }
  const code = await ended;
  if (code !== 0) fail(`The image's program stopped with code ${code}.`);
  const size = execFileSync("du", ["-sm", inStage(stage, ".")], { encoding: "utf8" }).split("\t")[0];
  say(
    `The image's program starts, is healthy, serves the console and stops. It adds ${size} MB to its base.`,
  );
}

function freePort() {
  return new Promise((resolve) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}
