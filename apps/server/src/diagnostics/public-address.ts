/** Probes through the public address: what a proxy in front of the gateway does to requests and answers. */
import { randomUUID } from "node:crypto";
import { lookup } from "node:dns/promises";
import { request as plainRequest } from "node:http";
import { request as secureRequest } from "node:https";
import { connect } from "node:tls";
import { trimEndOf } from "@gateway/shared/trim-end";
import { probeEvents, probeSignature } from "#domain/settings/public-probe.ts";
import { detailOf, type CheckResult, ok, problem, type Subject, warning } from "./finding.ts";

const patienceMs = 10_000;
const warnDays = 14;

export async function publicAddress(subject: Subject): Promise<CheckResult[]> {
  const { ServerAddress } = await subject.settings();
  return ServerAddress === ""
    ? warning("address_unset")
    : probeAddress(subject, trimEndOf(ServerAddress, "/"));
}

/** @param address the server address of the settings, without a slash at its end */
async function probeAddress({ env, secrets }: Subject, address: string): Promise<CheckResult[]> {
  const { hostname: host, protocol } = new URL(address);
  if ((await lookup(host).catch(() => undefined)) === undefined) return problem("host_unknown", { host });
  const port = env.PORT;
  const nonce = randomUUID();
  const answer = await askUpgrade(`${address}/api/probe?nonce=${nonce}`).catch((error: Error) => error);
  if (answer instanceof Error) return problem("address_silent", { address, detail: detailOf(answer), port });
  if (answer.status === 429) return warning("probes_limited");
  const probe = probeOf(answer.text);
  if (probe === undefined) return problem("address_other_answer", { address, status: answer.status, port });
  if (probe.signature !== probeSignature(await secrets(), nonce))
    return problem("address_elsewhere", { address });
  const [encryption, events] = await Promise.all([
    protocol === "https:" ? certificate(new URL(address)) : warning("address_not_encrypted"),
    eventStream(address),
  ]);
  return [
    ...ok("address_correct", { address }),
    ...encryption,
    ...(probe.upgrade ? ok("upgrades_pass") : warning("upgrades_dropped")),
    ...events,
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
async function eventStream(address: string): Promise<CheckResult[]> {
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
      if (arrivals.length > probeEvents.count) break;
    }
  } catch (error) {
    return problem("events_broken", { detail: detailOf(error) });
  }
  const took = Math.round((arrivals.at(-1) ?? 0) - (arrivals[0] ?? 0));
  return arrivals.length === probeEvents.count && took > sentOver / 2
    ? ok("events_pass")
    : problem("events_buffered", { events: arrivals.length, sent: sentOver, took });
}

async function certificate({ hostname, port }: URL): Promise<CheckResult[]> {
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
    return days >= warnDays ? ok("certificate_valid", { days }) : warning("certificate_expiring", { days });
  } catch (error) {
    return problem("certificate_invalid", { detail: detailOf(error) });
  } finally {
    socket.destroy();
  }
}
