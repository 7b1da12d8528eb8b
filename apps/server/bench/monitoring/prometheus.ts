import { spawnSync } from "node:child_process";
import { copyFile, mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { root } from "#platform/places.ts";
import { freePort, startProgram } from "../processes.ts";

interface Sample {
  metric: Record<string, string>;
  /** Time and value. */
  value: [number, string];
}

export interface Prometheus {
  version: string;
  /** Returns the values of a query now. Throws what Prometheus says about a wrong one. */
  query(expression: string): Promise<Sample[]>;
  /** Returns the errors of rules that could not be evaluated. */
  ruleErrors(): Promise<string[]>;
}

const folderOfExamples = join(root, "deploy/prometheus");
const TIMEOUT_MS = 10_000;

/**
 * Starts Prometheus with the examples of deploy/prometheus, which differ only in the target, the token and the
 * interval of one second.
 * @param target host and port of the gateway
 */
export async function startPrometheus(
  folder: string,
  { target, accessToken }: { target: string; accessToken: string },
): Promise<Prometheus> {
  const example = await readFile(join(folderOfExamples, "prometheus.yml"), "utf8");
  const config = example
    .replace("gateway.example:3000", target)
    .replaceAll("_interval: 15s", "_interval: 1s");
  const home = join(folder, "prometheus");
  await mkdir(home);
  const file = join(home, "prometheus.yml");
  await writeFile(file, config);
  await writeFile(join(home, "access-token"), accessToken, { mode: 0o600 });
  await copyFile(join(folderOfExamples, "alerts.yml"), join(home, "alerts.yml"));
  promtool(["check", "config", file]);
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const flags = [
    `--config.file=${file}`,
    `--storage.tsdb.path=${home}/data`,
    `--web.listen-address=127.0.0.1:${port}`,
  ];
  await startProgram("prometheus", flags, {}, folder, "prometheus", new Request(`${url}/-/ready`));

  async function get<T>(path: string): Promise<T> {
    const response = await fetch(url + path, { signal: AbortSignal.timeout(TIMEOUT_MS) });
    const body = (await response.json()) as { status: string; error?: string; data: T };
    if (body.status !== "success") throw new Error(body.error ?? `Prometheus answered ${response.status}.`);
    return body.data;
  }

  return {
    version: promtool(["--version"]).split("\n")[0] ?? "",
    async query(expression) {
      const parameters = new URLSearchParams({ query: expression });
      return (await get<{ result: Sample[] }>(`/api/v1/query?${parameters.toString()}`)).result;
    },
    async ruleErrors() {
      const { groups } = await get<{ groups: { rules: { name: string; lastError?: string }[] }[] }>(
        "/api/v1/rules",
      );
      return groups.flatMap(({ rules }) =>
        rules.flatMap(({ name, lastError = "" }) => (lastError === "" ? [] : [`${name}: ${lastError}`])),
      );
    },
  };
}

/** Runs promtool and returns its output. Throws it when promtool finds a problem. */
export function promtool(args: string[], input = ""): string {
  const { status, stdout, stderr, error } = spawnSync("promtool", args, {
    input,
    encoding: "utf8",
    timeout: 60_000,
  });
  if (error !== undefined)
    throw new Error(`promtool does not start: ${error.message}. It must be on the PATH.`);
  if (status !== 0) throw new Error(`promtool ${args.slice(0, 2).join(" ")} fails:\n${stdout}${stderr}`);
  return `${stdout}${stderr}`;
}
