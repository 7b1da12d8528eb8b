import { spawnSync } from "node:child_process";
import { chmod, mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { root } from "#platform/places.ts";
import { freePort, startProgram } from "../processes.ts";

export interface Options {
  /** A folder of its own. */
  folder: string;
  /** Port of the gateway. */
  node: number;
  hasBasePath: boolean;
}

const certificate = ["-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=localhost"];

/** Starts a proxy with its example of deploy/, and returns its port, which speaks TLS. */
export const proxies = { nginx: startNginx, caddy: startCaddy } as const;

async function startNginx({ folder, node, hasBasePath }: Options): Promise<number> {
  const examples = join(root, "deploy/nginx");
  const file = hasBasePath ? "base-path.conf" : "gateway.conf";
  const [port, plainPort] = [await freePort(), await freePort()];
  const [cert, key] = [join(folder, "cert.pem"), join(folder, "key.pem")];
  const { status, stderr } = spawnSync(
    "openssl",
    ["req", "-x509", ...certificate, "-keyout", key, "-out", cert],
    {
      encoding: "utf8",
    },
  );
  if (status !== 0) throw new Error(`openssl fails: ${stderr}`);
  const site = replaceAll(await readFile(join(examples, file), "utf8"), {
    "listen 443": `listen 127.0.0.1:${port}`,
    "listen 80": `listen 127.0.0.1:${plainPort}`,
    "/etc/nginx/gateway-proxy.conf": join(examples, "gateway-proxy.conf"),
    "127.0.0.1:3000": `127.0.0.1:${node}`,
    [`/etc/ssl/${hasBasePath ? "" : "ai."}example.com.pem`]: cert,
    [`/etc/ssl/${hasBasePath ? "" : "ai."}example.com.key`]: key,
  });
  // Its workers run under another account if it is started as root.
  await chmod(folder, 0o755);
  for (const name of ["body", "proxy", "fastcgi", "uwsgi", "scgi"])
    await mkdir(join(folder, name), { mode: 0o777 });
  const config = join(folder, "nginx.conf");
  await writeFile(
    config,
    `pid ${folder}/nginx.pid;
error_log ${folder}/nginx.log warn;
events {}
http {
  access_log off;
  client_body_temp_path ${folder}/body;
  proxy_temp_path ${folder}/proxy;
  fastcgi_temp_path ${folder}/fastcgi;
  uwsgi_temp_path ${folder}/uwsgi;
  scgi_temp_path ${folder}/scgi;
${site}
}
`,
  );
  await startProgram("nginx", ["-c", config, "-g", "daemon off;"], {}, folder, "nginx");
  return port;
}

async function startCaddy({ folder, node, hasBasePath }: Options): Promise<number> {
  const file = hasBasePath ? "base-path.Caddyfile" : "Caddyfile";
  const [port, plainPort] = [await freePort(), await freePort()];
  const ports = `admin off\n\thttp_port ${plainPort}\n\thttps_port ${port}\n\tskip_install_trust`;
  const config = join(folder, "Caddyfile");
  const example = await readFile(join(root, "deploy/caddy", file), "utf8");
  await writeFile(config, replaceAll(example, { "admin off": ports }));
  const env = {
    DOMAIN: "localhost",
    UPSTREAM: `127.0.0.1:${node}`,
    XDG_DATA_HOME: folder,
    XDG_CONFIG_HOME: folder,
  };
  await startProgram("caddy", ["run", "--config", config, "--adapter", "caddyfile"], env, folder, "caddy");
  return port;
}

/** Throws when the example does not contain a text: what is replaced has been renamed. */
function replaceAll(example: string, replacements: Record<string, string>): string {
  let text = example;
  for (const [from, to] of Object.entries(replacements)) {
    if (!text.includes(from) && from !== "listen 80") throw new Error(`The example has no “${from}”.`);
    text = text.replaceAll(from, to);
  }
  return text;
}
