import type { Share } from "#domain/limits/node-count.ts";
import { ASK_MS, GATHER_MS, type ToPrimary, type ToWorker, type WorkerTask } from "./messages.ts";

/** A worker's way to the primary process and through it to the other workers. */
export interface WorkerLink {
  task: WorkerTask;
  siblings(): ReadonlySet<string>;
  /** What the primary process answers. Rejects when it does not within a second. */
  ask(topic: string, payload: unknown): Promise<unknown>;
  /** The reports of all workers, this one included. A worker that does not answer in time is left out. */
  gather(topic: string, payload?: unknown): Promise<unknown[]>;
  /** How this worker reports on a topic. Without a report, or when it fails, the worker is left out. */
  onReport(topic: string, report: (payload: unknown) => unknown): void;
  started(listening: { url: string; port: number; setupToken: string | undefined }): void;
  /** Which part of every limit is this machine's. */
  share(share: Share): void;
}

interface Waiting {
  resolve(value: unknown): void;
  reject(error: Error): void;
  timer: NodeJS.Timeout;
}

/** Waits for the task, the first message of the primary process. */
export async function openWorkerLink(): Promise<WorkerLink> {
  const waiting = new Map<number, Waiting>();
  const reports = new Map<string, (payload: unknown) => unknown>();
  let siblings: ReadonlySet<string> = new Set();
  let last = 0;

  function send(message: ToPrimary): void {
    // The primary process may have ended a moment ago, which ends this one too.
    process.send?.(message, undefined, undefined, () => {});
  }

  function request(kind: "ask" | "gather", topic: string, payload: unknown, withinMs: number) {
    const id = (last += 1);
    return new Promise<unknown>((resolve, reject) => {
      const timer = setTimeout(() => {
        waiting.delete(id);
        reject(new Error(`The primary process did not answer for ${withinMs} ms.`));
      }, withinMs);
      waiting.set(id, { resolve, reject, timer });
      send({ kind, id, topic, payload });
    });
  }

  function receive(message: ToWorker): void {
    if (message.kind === "siblings") siblings = new Set(message.siblings);
    else if (message.kind === "report") void report(message.id, message.topic, message.payload);
    else if (message.kind === "answer") {
      const { id, value, error } = message;
      const requested = waiting.get(id);
      waiting.delete(id);
      clearTimeout(requested?.timer);
      if (error === undefined) requested?.resolve(value);
      else requested?.reject(new Error(error));
    }
  }

  async function report(id: number, topic: string, payload: unknown): Promise<void> {
    try {
      send({ kind: "reported", id, value: await reports.get(topic)?.(payload) });
    } catch {
      send({ kind: "reported", id, value: undefined });
    }
  }

  const task = await new Promise<WorkerTask>((resolve) => {
    process.on("message", (message: ToWorker) => {
      if (message.kind === "task") resolve(message);
      else receive(message);
    });
  });
  siblings = new Set([...task.siblings, ...siblings]);
  return {
    task,
    siblings: () => siblings,
    ask: (topic, payload) => request("ask", topic, payload, ASK_MS),
    gather: async (topic, payload) =>
      // An array, because the primary collects them in one.
      (await request("gather", topic, payload, GATHER_MS + ASK_MS)) as unknown[],
    onReport: (topic, handler) => reports.set(topic, handler),
    started: ({ url, port, setupToken }) =>
      send({ kind: "started", url, port, ...(setupToken !== undefined && { setupToken }) }),
    share: (share) => send({ kind: "share", share }),
  };
}
