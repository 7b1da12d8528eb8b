/**
 * The thread of an export: encoding a million rows takes half a minute of CPU time, which calls on the main thread would
 * wait for. It has a memory limit and a connection of its own. Started by run-thread.ts.
 */
import { parentPort, workerData } from "node:worker_threads";
import { GatewayError } from "#errors.ts";
import { openStorage, type StorageOptions } from "#platform/storage/open-storage.ts";
import { exportClosedHours } from "./export-closed-hours.ts";

export interface ThreadInput {
  /** The database. */
  url: string;
  storage: StorageOptions;
  /** End of the last hour to export. This thread does not follow the clock that all nodes share. */
  until: Date;
}

/** The only message of the thread. */
export type ThreadResult =
  | { isDone: true }
  | { isDone: false; code: GatewayError["code"]; params: GatewayError["params"] }
  | { isDone: false; message: string };

const stopping = new AbortController();
parentPort?.on("message", () => stopping.abort());
const result = await runExport(workerData as ThreadInput);
// oxlint-disable-next-line unicorn/require-post-message-target-origin -- a port of a thread, not a window
parentPort?.postMessage(result);
parentPort?.close();

async function runExport({ url, storage, until }: ThreadInput): Promise<ThreadResult> {
  try {
    await exportClosedHours({ url, storage: openStorage(storage), signal: stopping.signal }, until);
    return { isDone: true };
  } catch (error) {
    if (error instanceof GatewayError) return { isDone: false, code: error.code, params: error.params };
    return { isDone: false, message: error instanceof Error ? error.message : String(error) };
  }
}
