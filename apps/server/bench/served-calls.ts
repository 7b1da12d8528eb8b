/** A gateway of a proof that keeps data over a change of its database: calls before and after, and the bill of one. */
import { Agent } from "node:http";
import { join } from "node:path";
import type { LogPage } from "@gateway/shared/usage/log";
import { root } from "#platform/places.ts";
import { rootApi, startNode } from "./nodes.ts";
import { freePort } from "./processes.ts";
import { send } from "./restart/calls.ts";

/**
 * Starts the bundle with groups that have no rate limit in practice.
 * @param databaseUrl "" = the embedded Postgres in `dataDir`
 */
export async function startGateway(
  dataDir: string,
  databaseUrl: string,
): Promise<{ url: string; pid: number }> {
  const port = await freePort();
  const main = join(root, "apps/server/dist/bundle/main.js");
  const pid = await startNode({ main, folder: dataDir, name: "node", port, databaseUrl, drainSeconds: "0" });
  const url = `http://127.0.0.1:${port}`;
  const api = rootApi(url);
  for (const group of (await api<{ data: { id: number }[] }>("GET", "/user_group")).data)
    await api("PUT", `/user_group/${group.id}`, { api_rate: 1_000_000 });
  return { url, pid };
}

/** Sends calls over eight connections. Rejects when one of them fails. */
export async function sendCalls(url: string, apiKey: string, count: number): Promise<void> {
  const agent = new Agent({ keepAlive: true, maxSockets: 8 });
  const results = await Promise.all(
    Array.from({ length: count }, (_, index) => send(url, apiKey, index, agent)),
  );
  agent.destroy();
  const failures = results.filter((result) => result !== undefined);
  if (failures.length > 0) throw new Error(`Calls failed: ${JSON.stringify(failures.slice(0, 3))}`);
}

/** Returns the newest charged call with the explanation of its bill. */
export async function explainNewest(url: string): Promise<{ id: string; explanation: unknown }> {
  const page = await rootApi(url)<LogPage>("GET", "/log?size=10");
  const id = String(page.data.find((row) => row.type === 2)?.id);
  return { id, explanation: await explainCall(url, id) };
}

export function explainCall(url: string, id: string): Promise<unknown> {
  return rootApi(url)("GET", `/log/${id}/explain`);
}
