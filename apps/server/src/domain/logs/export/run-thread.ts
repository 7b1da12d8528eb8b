import { Worker } from "node:worker_threads";
import { GatewayError } from "#errors.ts";
import type { ThreadInput, ThreadResult } from "./export-thread.ts";

/** Memory of the thread, besides the bytes of one file. Two portions of rows take less than half of it. */
const limits = { maxOldGenerationSizeMb: 256, maxYoungGenerationSizeMb: 32 };
/** An upload that does not end when it should is given up after this time. */
const stopMs = 5_000;

/** The file is beside this module, in the sources and in the bundle. */
const program = new URL(
  import.meta.url.endsWith(".ts") ? "./export-thread.ts" : "./export-thread.js",
  import.meta.url,
);

/**
 * Exports the hours that are due, in a thread. Rejects like `exportClosedHours`, and when the thread ends without a result.
 * @param signal ends the export after the current portion
 */
export async function exportInThread(input: ThreadInput, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted();
  const thread = new Worker(program, { workerData: input, resourceLimits: limits, name: "log export" });
  let late: NodeJS.Timeout | undefined;
  const stop = () => {
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
    thread.postMessage("stop");
    late = setTimeout(() => void thread.terminate(), stopMs).unref();
  };
  signal.addEventListener("abort", stop, { once: true });
  try {
    const result = await resultOf(thread);
    signal.throwIfAborted();
    if (result.isDone) return;
    if ("message" in result) throw new Error(result.message);
    throw errorOf(result);
  } finally {
    clearTimeout(late);
    signal.removeEventListener("abort", stop);
    await thread.terminate();
  }
}

function resultOf(thread: Worker): Promise<ThreadResult> {
  return new Promise((resolve, reject) => {
    thread.once("message", resolve);
    thread.once("error", reject);
    thread.once("exit", (code) => reject(new Error(`The thread of the log export ended with code ${code}.`)));
  });
}

/** A code and its params belong together: the thread had them from an error. */
function errorOf({ code, params }: Extract<ThreadResult, { code: unknown }>): GatewayError {
  return new (GatewayError as new (code: string, params: object) => GatewayError)(code, params);
}
