/** A complete installation: gateway, database and demo provider. */
import { type ChildProcess, spawn } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

export const rootUser = { username: "root", password: "a long password" };

export interface Installation {
  /** Without a trailing slash. */
  url: string;
  /** Root's session. Undefined without a root account. */
  session: { name: string; value: string } | undefined;
  /** Calls the management API as root: `api("POST", "/token", {...})`. Throws on an error. */
  api<T = unknown>(method: string, path: string, body?: unknown): Promise<T>;
  /**
   * Returns a header with a client address that was not used before. All windows and calls together exceed
   * the rate limit of a single address.
   */
  newAddress(): { "x-forwarded-for": string };
  /** Lines that the process has printed. */
  printed: readonly string[];
  /** Ends the process and deletes its data. SIGKILL saves half a second where the database is dropped afterwards. */
  stop(signal?: "SIGTERM" | "SIGKILL"): Promise<void>;
}

/** A gateway that listens. */
export type RunningGateway = Pick<Installation, "url" | "printed" | "stop">;

const sources = fileURLToPath(new URL("../../../server/src/main.ts", import.meta.url));
export const compileCache = fileURLToPath(
  new URL("../../../../node_modules/.gateway/compile-cache", import.meta.url),
);

/**
 * Starts an installation, by default from the sources in a process of its own.
 * @param env further settings of the gateway
 */
export async function install(
  env: Record<string, string> = {},
  start: (env: Record<string, string>) => Promise<RunningGateway> = gatewayProcess(sources),
): Promise<Installation> {
  const dataDir = await mkdtemp(join(tmpdir(), "gateway-e2e-"));
  const gateway = await start({ ...settings, DATA_DIR: dataDir, ...env });
  const session = env["ROOT_USERNAME"] === "" ? undefined : await signIn(gateway.url);
  let addresses = 0;

  function newAddress(): { "x-forwarded-for": string } {
    addresses += 1;
    return { "x-forwarded-for": `10.7.${addresses >> 8}.${addresses & 255}` };
  }

  async function api<T>(method: string, path: string, body?: unknown): Promise<T> {
    const answer = await fetch(`${gateway.url}/api${path}`, {
      method,
      headers: {
        ...newAddress(),
        "api-version": "2",
        origin: gateway.url,
        ...(session === undefined ? {} : { cookie: `${session.name}=${session.value}` }),
        ...(body === undefined ? {} : { "content-type": "application/json" }),
      },
      body: body === undefined ? null : JSON.stringify(body),
    });
    const { success, message, data } = (await answer.json()) as Envelope;
    if (!success) throw new Error(`${method} ${path}: ${message}`);
    return data as T;
  }

  async function stop(signal?: "SIGTERM" | "SIGKILL"): Promise<void> {
    await gateway.stop(signal);
    await rm(dataDir, { recursive: true, force: true });
  }

  return { url: gateway.url, printed: gateway.printed, session, api, newAddress, stop };
}

type Envelope = { success: boolean; message: string; data: unknown };

const settings = {
  HOST: "127.0.0.1",
  PORT: "0",
  DEMO_UPSTREAM: "1",
  TRUST_PROXY: "loopback",
  // More than any test sends as root.
  API_RATE_LIMIT: "1000000",
  ROOT_USERNAME: rootUser.username,
  ROOT_PASSWORD: rootUser.password,
};

/** Returns a function that starts a gateway in a process of its own. */
export const gatewayProcess = (program: string) => (env: Record<string, string>) =>
  startProcess(env, program);

async function startProcess(env: Record<string, string>, program: string): Promise<RunningGateway> {
  const child = spawn(process.execPath, ["--disable-warning=ExperimentalWarning", program], {
    env: { PATH: process.env["PATH"], NODE_COMPILE_CACHE: compileCache, ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const printed: string[] = [];
  // The runner ends its process when a test hangs. The gateway must not outlive it.
  const kill = () => child.kill("SIGKILL");
  process.once("exit", kill);
  const url = await listeningAt(child, printed);
  const stop = (signal: "SIGTERM" | "SIGKILL" = "SIGTERM") =>
    new Promise<void>((resolve) => {
      process.off("exit", kill);
      child.once("exit", () => resolve());
      child.kill(signal);
    });
  return { url, printed, stop };
}

/** Returns the address that the process prints, and collects its lines. Rejects with the last ones if it exits instead. */
function listeningAt(child: ChildProcess, lines: string[]): Promise<string> {
  return new Promise((resolve, reject) => {
    for (const stream of [child.stdout, child.stderr]) {
      if (!stream) continue;
      createInterface({ input: stream }).on("line", (line) => {
        lines.push(line);
        const [, address] = /Listening on (http[^"\s]+)/.exec(line) ?? [];
        if (address) resolve(address);
      });
    }
    child.once("exit", (code) =>
      reject(new Error(`The gateway ended with ${code}:\n${lines.slice(-20).join("\n")}`)),
    );
  });
}

async function signIn(url: string): Promise<{ name: string; value: string }> {
  const answer = await fetch(`${url}/api/user/login`, {
    method: "POST",
    headers: { "api-version": "2", "content-type": "application/json", origin: url },
    body: JSON.stringify(rootUser),
  });
  const [pair = ""] = (answer.headers.get("set-cookie") ?? "").split(";");
  const [name = "", value = ""] = pair.split("=");
  if (!answer.ok || value === "") throw new Error(`Could not sign in: ${await answer.text()}`);
  return { name, value };
}
