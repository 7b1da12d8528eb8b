import type { Share } from "#domain/limits/levels.ts";
import { ASK_MS, GATHER_MS, type ToPrimary, type ToWorker, type WorkerTask } from "./messages.ts";

/** A worker's connection to the primary process, and through it to the other workers. */
export interface WorkerLink {
  task: WorkerTask;
  siblings(): ReadonlySet<string>;
  /** Returns the answer of the primary process. Rejects when it does not arrive within a second. */
  ask(topic: string, payload: unknown): Promise<unknown>;
  /** Returns the reports of all workers, including this one. Omits workers that do not report in time. */
  gather(topic: string, payload?: unknown): Promise<unknown[]>;
  /** Sets this worker's report on a topic. Workers without a report, or whose report fails, are omitted. */
  onReport(topic: string, report: (payload: unknown) => unknown): void;
  started(listening: { url: string; port: number; setupToken: string | undefined }): void;
  /** Sends the primary process this machine's share of every limit. */
  share(share: Share): void;
}

interface Waiting {
  resolve(value: unknown): void;
  reject(error: Error): void;
  timer: NodeJS.Timeout;
}

/** Waits for the task, which is the first message of the primary process. */
export async function openWorkerLink(): Promise<WorkerLink> {
  const waiting = new Map<number, Waiting>();
  const reports = new Map<string, (payload: unknown) => unknown>();
  let siblings: ReadonlySet<string> = new Set();
  let last = 0;

  function send(message: ToPrimary): void {
    // The primary process may just have ended, which ends this process too.
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
      // The primary process collects them in an array.
      (await request("gather", topic, payload, GATHER_MS + ASK_MS)) as unknown[],
    onReport: (topic, handler) => reports.set(topic, handler),
    started: ({ url, port, setupToken }) =>
      send({ kind: "started", url, port, ...(setupToken !== undefined && { setupToken }) }),
    share: (share) => send({ kind: "share", share }),
  };
}
