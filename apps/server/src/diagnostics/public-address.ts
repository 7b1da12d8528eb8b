import { randomUUID } from "node:crypto";
import { lookup } from "node:dns/promises";
import { request as plainRequest } from "node:http";
import { request as secureRequest } from "node:https";
import { connect } from "node:tls";
import { probeEvents, probeSignature } from "#domain/settings/public-probe.ts";
import { bad, type Found, ok, warn } from "./finding.ts";
import type { Installation } from "./installation.ts";

/** Probes through the public address: what a proxy in front of the gateway does to requests and answers. */

const patienceMs = 10_000;
const warnDays = 14;

/** @param address the server address of the settings, without a slash at its end */
export async function probeAddress(
  { env, secrets }: Pick<Installation, "env" | "secrets">,
  address: string,
): Promise<Found[]> {
  const { hostname, protocol } = new URL(address);
  if ((await lookup(hostname).catch(() => undefined)) === undefined)
    return bad(
      `The name ${hostname} of the server address is unknown.`,
      "Create a DNS record for it, or correct the server address in Settings, System, Address.",
    );
  const nonce = randomUUID();
  const answer = await askUpgrade(`${address}/api/probe?nonce=${nonce}`).catch((error: Error) => error);
  if (answer instanceof Error)
    return bad(
      `${address} does not answer: ${answer.message}.`,
      `Check the proxy in front of the gateway, which listens on port ${env.PORT}.`,
    );
  if (answer.status === 429)
    return warn(
      "The probes were refused: too many of them in a minute.",
      "Wait a minute and run the command again.",
    );
  const probe = probeOf(answer.text);
  if (probe === undefined)
    return bad(
      `${address}/api/probe answers with status ${answer.status}, and not as this gateway does.`,
      `Make the proxy pass all paths to port ${env.PORT}. Sign-ins and payments return to this address, too.`,
    );
  if (probe.signature !== probeSignature(await secrets(), nonce))
    return bad(
      `${address} leads to another installation, so sign-ins and payments return there.`,
      "Correct the server address in Settings, System, Address, or the DNS record.",
    );
  return [
    ...ok(`${address} leads to this gateway, so sign-ins and payments can return to it.`),
    ...(protocol === "https:"
      ? await certificate(new URL(address))
      : warn("The server address is not https: passwords and keys can be read on the way.", "Use https.")),
    ...(probe.upgrade
      ? ok("WebSocket upgrades reach the gateway.")
      : warn(
          "The proxy does not pass WebSocket upgrades, so realtime sessions fail.",
          "Pass the headers Upgrade and Connection on. nginx: proxy_http_version 1.1, proxy_set_header Upgrade $http_upgrade, proxy_set_header Connection $connection_upgrade.",
        )),
    ...(await eventStream(address)),
  ];
}

/** Sends a request for a WebSocket, which `fetch` cannot. The gateway answers it as a normal one. */
async function askUpgrade(url: string): Promise<{ status: number; text: string }> {
  const { promise, resolve, reject } = Promise.withResolvers<{ status: number; text: string }>();
  const send = url.startsWith("https:") ? secureRequest : plainRequest;
  const outgoing = send(url, {
    headers: {
      connection: "Upgrade",
      upgrade: "websocket",
      "sec-websocket-version": "13",
      "sec-websocket-key": Buffer.from(randomUUID().slice(0, 16)).toString("base64"),
      "api-version": "2",
    },
    signal: AbortSignal.timeout(patienceMs),
  });
  outgoing.on("error", reject);
  outgoing.on("upgrade", (_response, socket) => {
    socket.destroy();
    reject(new Error("it upgrades every request to a WebSocket"));
  });
  outgoing.on("response", (response) => {
    let text = "";
    response.setEncoding("utf8");
    response.on("data", (piece: string) => {
      text += piece;
      if (text.length > 10_000) outgoing.destroy();
    });
    response.on("end", () => resolve({ status: response.statusCode ?? 0, text }));
    response.on("error", reject);
  });
  outgoing.end();
  return promise;
}

function probeOf(text: string): { signature: string; upgrade: boolean } | undefined {
  try {
    const { data } = JSON.parse(text) as { data?: { signature?: unknown; upgrade?: unknown } };
    return typeof data?.signature === "string"
      ? { signature: data.signature, upgrade: data.upgrade === true }
      : undefined;
  } catch {
    return undefined;
  }
}

/** Measures when the events of a stream arrive: a proxy that buffers delivers them together. */
async function eventStream(address: string): Promise<Found[]> {
  const sentOver = (probeEvents.count - 1) * probeEvents.everyMs;
  const arrivals: number[] = [];
  try {
    const response = await fetch(`${address}/api/probe/stream`, {
      headers: { accept: "text/event-stream", "api-version": "2" },
      signal: AbortSignal.timeout(patienceMs),
      redirect: "manual",
    });
    if (!response.ok || response.body === null) throw new Error(`status ${response.status}`);
    const decoder = new TextDecoder();
    for await (const piece of response.body) {
      const events = decoder.decode(piece, { stream: true }).match(/^data: /gm) ?? [];
      arrivals.push(...events.map(() => performance.now()));
    }
  } catch (error) {
    return bad(
      `The event stream of the probe broke off: ${error instanceof Error ? error.message : String(error)}.`,
      "Check the timeouts of the proxy, and that it passes /api/probe/stream.",
    );
  }
  const took = Math.round((arrivals.at(-1) ?? 0) - (arrivals[0] ?? 0));
  return arrivals.length === probeEvents.count && took > sentOver / 2
    ? ok("Event streams arrive event by event.")
    : bad(
        `The proxy holds event streams back: ${arrivals.length} events, sent over ${sentOver} ms, arrived within ${took} ms.`,
        "Turn buffering off. nginx: proxy_buffering off; and no gzip for text/event-stream. A CDN in front needs the same.",
      );
}

async function certificate({ hostname, port }: URL): Promise<Found[]> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const socket = connect({
    host: hostname,
    port: Number(port || 443),
    servername: hostname,
    timeout: patienceMs,
  });
  socket.once("secureConnect", () => resolve(socket.getPeerCertificate().valid_to));
  socket.once("timeout", () => reject(new Error("no answer in time")));
  socket.once("error", reject);
  try {
    const days = Math.floor((Date.parse(await promise) - Date.now()) / 86_400_000);
    return days >= warnDays
      ? ok(`The certificate is valid for another ${days} days.`)
      : warn(`The certificate is valid for ${days} days only.`, "Renew it, and check its automatic renewal.");
  } catch (error) {
    return bad(
      `The certificate cannot be checked: ${error instanceof Error ? error.message : String(error)}.`,
      "Install a certificate with its whole chain that names this host.",
    );
  } finally {
    socket.destroy();
  }
}
