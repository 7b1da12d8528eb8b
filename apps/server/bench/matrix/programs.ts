import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import aiSdk from "ai/package.json" with { type: "json" };
import { root } from "#platform/places.ts";
import type { Client } from "./client.ts";
import versions from "./versions.json" with { type: "json" };

const cache = join(root, "node_modules/.cache/matrix");
const INSTALL_MS = 600_000;

/** Returns the version of a client's program. */
export function versionOf(client: Client): string {
  return client.program === "ai-sdk" ? aiSdk.version : versions[client.program].version;
}

/** Installs a client's program from npm unless that version is there already. Returns the executable. */
export async function installProgram(client: Client): Promise<string> {
  if (client.program === "ai-sdk") return process.execPath;
  const { package: name, version } = versions[client.program];
  const folder = join(cache, `${client.program}-${version}`);
  if (!existsSync(folder)) {
    const part = `${folder}.part`;
    await rm(part, { recursive: true, force: true });
    await mkdir(part, { recursive: true });
    await writeFile(join(part, "package.json"), '{ "private": true }\n');
    const args = ["install", "--no-audit", "--no-fund", "--loglevel=error", `${name}@${version}`];
    await promisify(execFile)("npm", args, { cwd: part, timeout: INSTALL_MS });
    await rename(part, folder);
  }
  return join(folder, "node_modules/.bin", client.bin);
}
