import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { chmod, mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { root } from "#platform/places.ts";
import type { Failure } from "./calls.ts";

/** A reverse proxy in front of the nodes, as docs/deployment.md and deploy/Caddyfile configure it. */
export interface Proxy {
  version: string;
  /** Returns the proxy's reasons of a failed call, from its log. */
  reasons(failure: Failure): Promise<string[]>;
  /** Returns the messages of its log that no call is named in. */
  messages(): Promise<string[]>;
  /** Whether the proxy fails such calls on its own, although a node can be reached. */
  isOwn(reason: string): boolean;
  close(): Promise<void>;
}

export interface ProxyOptions {
  folder: string;
  port: number;
  /** Ports of the nodes. */
  nodes: readonly number[];
}

export const proxies = { nginx: startNginx, caddy: startCaddy } as const;

async function startNginx({ folder, port, nodes }: ProxyOptions): Promise<Proxy> {
  const errors = join(folder, "nginx-error.log");
  const calls = join(folder, "nginx-calls.log");
  // Its workers run under another account if it is started as root.
  await chmod(folder, 0o755);
  await mkdir(join(folder, "body"), { mode: 0o777 });
  const config = `
pid ${folder}/nginx.pid;
error_log ${errors} warn;
events { worker_connections 1024; }
http {
  log_format calls '$http_x_call upstream=$upstream_addr status=$upstream_status';
  access_log ${calls} calls;
  client_body_temp_path ${folder}/body;
  proxy_temp_path ${folder}/proxy;
  fastcgi_temp_path ${folder}/fastcgi;
  uwsgi_temp_path ${folder}/uwsgi;
  scgi_temp_path ${folder}/scgi;
  upstream gateway {
${nodes.map((node) => `    server 127.0.0.1:${node} max_fails=0;`).join("\n")}
    keepalive 64;
  }
  server {
    listen 127.0.0.1:${port};
    client_max_body_size 100m;
    location / {
      proxy_pass http://gateway;
      proxy_http_version 1.1;
      proxy_buffering off;
      proxy_request_buffering off;
      proxy_set_header Host $host;
      proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;
      proxy_set_header Connection "";
    }
  }
}
`;
  const file = join(folder, "nginx.conf");
  await writeFile(file, config);
  const child = spawn("nginx", ["-c", file, "-g", "daemon off;"], {
    stdio: ["ignore", "inherit", "inherit"],
  });
  await listening(child, port);
  return {
    version: spawnSync("nginx", ["-v"], { encoding: "utf8" }).stderr.trim(),
    reasons: ({ call }) => linesWith(calls, `${call} `),
    messages: () => linesWith(errors, "upstream"),
    isOwn: () => false,
    close: () => end(child),
  };
}

async function startCaddy({ folder, port, nodes }: ProxyOptions): Promise<Proxy> {
  const log = join(folder, "caddy.log");
  const given = await readFile(join(root, "deploy/Caddyfile"), "utf8");
  const config = given
    .replace(
      "admin off",
      `admin off\n\tauto_https off\n\tlog {\n\t\toutput file ${log}\n\t\tformat json\n\t}`,
    )
    .replace(/^:8080/m, `http://127.0.0.1:${port}`)
    .replace(/\bdynamic a \{[^}]*\}/, `to ${nodes.map((node) => `127.0.0.1:${node}`).join(" ")}`);
  const file = join(folder, "Caddyfile");
  await writeFile(file, config);
  const child = spawn("caddy", ["run", "--config", file, "--adapter", "caddyfile"], {
    stdio: ["ignore", "ignore", "ignore"],
    env: { ...process.env, HOME: folder, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder },
  });
  await listening(child, port);
  return {
    version: `caddy ${spawnSync("caddy", ["version"], { encoding: "utf8" }).stdout.trim()}`,
    async reasons({ call }) {
      const lines = await linesWith(log, `["${call}"]`);
      return lines.map((line) => {
        const { msg = "", error = "" } = JSON.parse(line) as { msg?: string; error?: string };
        return `${msg} ${error}`.trim();
      });
    },
    messages: async () => [],
    // Versions up to 2.11.1 have closed the body of a POST when they send it to the next node, and count that as a
    // failure of this node. Then they find no node, although one always listens in this run, and versions before
    // 2.7.5 do not wait for one: https://github.com/caddyserver/caddy/pull/5841
    isOwn: (reason) => /invalid Read on closed Body|no upstreams available/.test(reason),
    close: () => end(child),
  };
}

async function linesWith(file: string, part: string): Promise<string[]> {
  const text = await readFile(file, "utf8").catch(() => "");
  return text.split("\n").filter((line) => line.includes(part));
}

async function listening(child: ChildProcess, port: number): Promise<void> {
  let why = "";
  child.once("error", (error) => (why = `${error.message}. It must be on the PATH.`));
  const deadline = Date.now() + 20_000;
  while (child.exitCode === null && child.pid !== undefined && Date.now() < deadline) {
    const answer = await fetch(`http://127.0.0.1:${port}/api/health`).catch(() => undefined);
    await answer?.body?.cancel();
    if (answer?.status === 200) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error(`The proxy does not start. ${why}`);
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = once(child, "exit");
  child.kill("SIGTERM");
  await gone;
}
