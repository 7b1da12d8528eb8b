/** Memory of a stream while its provider pauses. */
import { readFileSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import type { BenchGateway } from "./gateway.ts";

/** The built-in provider sends three chunks for this model and then pauses. */
export const patientModel = "demo-chat@hang=after:3";

const FIRST = 100;
const STREAMS = 1_000;
const AT_A_TIME = 100;
const SETTLE_MS = 3_000;
const PAGE = 4_096;

export interface IdleCost {
  streams: number;
  /** Resident memory of the gateway in megabytes with this number of open streams. */
  resident: number;
}

/** Returns undefined where the system does not report the memory of a process. */
export async function measureIdleStreams(gateway: BenchGateway): Promise<IdleCost[] | undefined> {
  const open: Socket[] = [];
  const costs: IdleCost[] = [];
  try {
    // The first streams also load code and create pools. The difference is the cost of the others.
    for (const streams of [FIRST, FIRST + STREAMS]) {
      while (open.length < streams) {
        const more = Array.from({ length: AT_A_TIME }, () => openStream(gateway));
        open.push(...(await Promise.all(more)));
      }
      await sleep(SETTLE_MS);
      const alive = await gateway.streams();
      if (alive < streams) throw new Error(`Of ${streams} waiting streams ${alive} are open.`);
      const resident = residentOf(gateway.pid);
      if (resident === undefined) return undefined;
      costs.push({ streams, resident });
    }
    return costs;
  } finally {
    for (const socket of open) socket.destroy();
    while ((await gateway.streams()) > 0) await sleep(100);
  }
}

/** Resolves with the socket when the first chunks have arrived. */
function openStream(gateway: BenchGateway): Promise<Socket> {
  const { hostname, port } = new URL(gateway.url);
  const body = JSON.stringify({
    model: patientModel,
    stream: true,
    max_tokens: 16,
    messages: [{ role: "user", content: "Take your time." }],
  });
  return new Promise((resolve, reject) => {
    const socket = connect({ host: hostname, port: Number(port), noDelay: true });
    let text = "";
    socket.on("data", (data: Buffer) => {
      text += data.toString("latin1");
      if (!text.startsWith("HTTP/1.1 200")) reject(new Error(`A stream was refused: ${text.slice(0, 500)}`));
      else if (text.includes("data: ")) resolve(socket.removeAllListeners("data").resume());
    });
    socket.on("error", reject);
    socket.write(
      `POST /v1/chat/completions HTTP/1.1\r\nHost: ${hostname}:${port}\r\nAuthorization: Bearer ${gateway.token}\r\n` +
        `Content-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
    );
  });
}

/** Returns the resident memory of a process in megabytes. */
export function residentOf(pid: number): number | undefined {
  try {
    const pages = Number(readFileSync(`/proc/${pid}/statm`, "utf8").split(" ")[1]);
    return (pages * PAGE) / 1_048_576;
  } catch {
    return undefined;
  }
}
