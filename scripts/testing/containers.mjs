// Steps of the checks that run containers: Docker, and the first call to a new installation.
import { execFileSync } from "node:child_process";
import { createServer } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { fail } from "../steps.mjs";

export const apiVersion = { "api-version": "2" };

/**
 * Returns the path of the one-time link in the log, which follows the first answer of `/api/ready`. It has no host
 * name, because the server does not know it.
 * @param {() => string} logs
 */
export async function setupPath(logs) {
  for (let tries = 0; tries < 40; tries += 1) {
    const path = logs().match(/create one: (\/setup\?token=\S+)\s*$/m)?.[1];
    if (path !== undefined) return path;
    await sleep(500);
  }
  return fail(`The log has no plain line with the set-up path:\n${logs().slice(-2_000)}`);
}

/**
 * Completes set-up with the demo provider, a channel, a token and one chat call. Returns the session's
 * cookie.
 */
export async function firstCall(base, setup) {
  const send = async (method, path, body, headers = {}) => {
    const response = await fetch(`${base}${path}`, {
      method,
      headers: { "content-type": "application/json", origin: base, ...apiVersion, ...headers },
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

export function docker(...args) {
  return execute("docker", args, process.env);
}

export function execute(program, args, env) {
  try {
    const options = { env, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"], maxBuffer: 100_000_000 };
    return execFileSync(program, args, { ...options, timeout: 900_000 });
  } catch (error) {
    return fail(
      `${program} ${args.join(" ")} failed:\n${error.stdout ?? ""}${error.stderr ?? error.message}`,
    );
  }
}

/** Waits until an address returns 200, at most two minutes. A failure prints what `logs` returns. */
export async function waitFor(url, logs) {
  for (let tries = 0; tries < 240; tries += 1) {
    // While the container starts, its port may accept a connection and drop it. Node 20 then leaves the request pending
    // with nothing that keeps the process alive; the timer of `sleep` does.
    const request = fetch(url, { signal: AbortSignal.timeout(5_000) }).catch(() => undefined);
    const response = await Promise.race([request, sleep(6_000)]);
    if (response?.ok) return;
    await sleep(500);
  }
  fail(`${url} does not answer.\n${logs()}`);
}

export function freePort() {
  return new Promise((resolve) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}
