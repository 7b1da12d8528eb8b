// Docker Compose with the files of this repository, for the checks that run containers.
import { spawnSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fail, root } from "../steps.mjs";
import { execute } from "./containers.mjs";

/** Throws an error where no Docker engine with Compose is available. */
export function requireEngine() {
  const hasEngine = spawnSync("docker", ["info"], { stdio: "ignore" }).status === 0;
  if (!hasEngine || compose() === undefined)
    fail("No Docker engine with Compose answers here. Start one, or set DOCKER_HOST.");
}

/** A Compose project of its own. Its environment replaces a .env file of this checkout. */
export class Project {
  /**
   * @param {Record<string, string>} env
   * @param {string[]} files  relative to the repository
   */
  constructor(env, files = ["docker-compose.yml"]) {
    this.name = `gateway-check-${randomBytes(4).toString("hex")}`;
    this.env = env;
    this.files = files;
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
    const files = this.files.flatMap((file) => ["-f", join(root, file)]);
    const project = ["-p", this.name, "--env-file", this.envFile, ...files];
    return execute(program, [...first, ...project, ...args], { ...process.env, ...this.env });
  }

  logs() {
    return this.run("logs", "--no-color", "--tail", "5");
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
