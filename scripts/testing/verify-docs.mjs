// pnpm verify:docs: runs the shell examples of README and documentation as they are printed, with Node.js, npm, git and
// curl only: in an empty home folder, the repository's address leading to this clone. An example that cannot run there
// is marked with `<!-- not run here: reason -->`, or needs a program that is no prerequisite.
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { fail, root, say } from "../steps.mjs";
import { report } from "./report.mjs";
import { shellExamples } from "./shell-examples.mjs";

const START_MINUTES = 20;
const EXAMPLE_SECONDS = 120;
const token = "a-token-for-the-examples-of-the-documentation";

export async function verifyDocs() {
  const home = mkdtempSync(join(tmpdir(), "gateway-docs-"));
  const port = await freePort();
  const [, address] = /git\+(https:.+)\.git/.exec(readFileSync(join(root, "package.json"), "utf8")) ?? [];
  const env = {
    HOME: home,
    // Node.js and npm of the machine, not those of the repository.
    PATH: (process.env.PATH ?? "")
      .split(delimiter)
      .filter((folder) => !folder.includes("node_modules"))
      .join(delimiter),
    GIT_CONFIG_COUNT: "1",
    GIT_CONFIG_KEY_0: `url.file://${root}.insteadOf`,
    GIT_CONFIG_VALUE_0: address,
    PORT: String(port),
    ROOT_USERNAME: "root",
    ROOT_PASSWORD: "a long password",
    ROOT_ACCESS_TOKEN: token,
  };
  const examples = shellExamples();
  const left = examples.filter(({ needs }) => needs !== undefined);
  const runnable = examples.filter(({ needs }) => needs === undefined);
  const starts = runnable.filter(({ code }) => code.includes("npm start"));
  // README and Getting started print the same commands, on one line and on two.
  const commands = new Set(starts.map(({ code }) => code.trim().replaceAll(/\s*(?:&&|\n)\s*/g, " && ")));
  if (commands.size !== 1) fail(`The pages start the gateway differently: ${[...commands].join(" | ")}`);
  const server = spawn("sh", ["-c", starts[0].code], {
    cwd: home,
    env,
    stdio: ["ignore", "pipe", "inherit"],
    detached: true,
  });
  const end = (signal) => server.pid !== undefined && process.kill(-server.pid, signal);
  const timer = setTimeout(() => end("SIGKILL"), START_MINUTES * 60_000);
  try {
    await listening(server);
    const url = `http://localhost:${port}`;
    const key = await makeKey(url);
    const variables = { GATEWAY: url, GATEWAY_KEY: key, ADMIN_TOKEN: token };
    for (const example of runnable.filter((each) => !starts.includes(each))) {
      const trouble = runExample(example, { ...env, ...variables }, join(home, "gateway"), port);
      if (trouble === undefined) report.passed += 1;
      else report.failures.push({ title: `${example.page}: ${example.code.trim()}`, reason: trouble });
    }
  } finally {
    clearTimeout(timer);
    if (server.exitCode === null) {
      const ended = once(server, "exit", { signal: AbortSignal.timeout(60_000) });
      end("SIGTERM");
      // It still writes into the folder until then.
      await ended.catch(() => end("SIGKILL"));
    }
    rmSync(home, { recursive: true, force: true, maxRetries: 10, retryDelay: 500 });
  }
  for (const { page, needs } of left) console.log(`not run: ${page}: ${needs}`);
  say(`${left.length} examples of the documentation need more than Node.js and npm.`);
}

function freePort() {
  return new Promise((resolve) => {
    const probe = createServer().listen(0, "127.0.0.1", () => {
      const { port } = probe.address();
      probe.close(() => resolve(port));
    });
  });
}

async function listening(server) {
  for await (const chunk of server.stdout) {
    process.stdout.write(chunk);
    if (String(chunk).includes("Listening on")) {
      server.stdout.resume();
      return;
    }
  }
  fail("npm start ended before the gateway listened.");
}

/** Adds the demo provider and a token, as Getting started does in the console. Returns the token's key. */
async function makeKey(url) {
  const post = async (path, body) => {
    const answer = await fetch(`${url}/api/${path}`, {
      method: "POST",
      headers: { authorization: token, "api-version": "2", "content-type": "application/json" },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(30_000),
    });
    const { data, message } = await answer.json();
    if (!answer.ok) fail(`${path}: ${message}`);
    return data;
  };
  const models = ["demo-chat", "demo-chat-mini"];
  await post("channel", { type: 900, name: "Demo for the examples", models, groups: ["default"] });
  return (await post("token", { name: "docs" })).key;
}

/** Returns what went wrong, if anything. */
function runExample({ page, code }, env, cwd, port) {
  // Port 3000 may be in use on this machine.
  const here = code.replaceAll("localhost:3000", `localhost:${port}`);
  console.log(`${page}: ${code.split("\n")[0]}`);
  const { status, signal, stdout } = spawnSync("bash", ["-euo", "pipefail", "-c", here], {
    cwd,
    env,
    encoding: "utf8",
    // Bash reads its start files if its input is a socket.
    stdio: ["ignore", "pipe", "inherit"],
    timeout: EXAMPLE_SECONDS * 1000,
  });
  if (status !== 0) return `it ended with ${signal ?? status}`;
  return /"error"|"success":\s*false/.test(stdout) ? stdout.slice(0, 500) : undefined;
}
