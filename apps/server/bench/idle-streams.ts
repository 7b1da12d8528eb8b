import { readFileSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import type { BenchGateway } from "./gateway.ts";

/** What a stream costs in memory while its provider thinks. */

/** The built-in provider sends three pieces of this model's answer and then nothing more. */
export const patientModel = "demo-chat@hang=after:3";

const FIRST = 100;
const STREAMS = 1_000;
const AT_A_TIME = 100;
const SETTLE_MS = 3_000;
const PAGE = 4_096;

export interface IdleCost {
  streams: number;
  /** Megabytes of the gateway with so many streams open. */
  resident: number;
}

/** Undefined where the system does not say how much memory a process has. */
export async function measureIdleStreams(gateway: BenchGateway): Promise<IdleCost[] | undefined> {
  const open: Socket[] = [];
  const costs: IdleCost[] = [];
  try {
    // The first ones pay for code and pools, too; what the others add is their own.
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

/** Resolves with the first pieces of the answer. */
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

/** Megabytes. */
export function residentOf(pid: number): number | undefined {
  try {
    const pages = Number(readFileSync(`/proc/${pid}/statm`, "utf8").split(" ")[1]);
    return (pages * PAGE) / 1_048_576;
  } catch {
    return undefined;
  }
}
