import type { Worker } from "node:cluster";
import { GATHER_MS, type ToPrimary, type ToWorker } from "./messages.ts";

/** The primary process's side of worker requests: answers for all workers, or gathers their reports. */
export interface Switchboard {
  receive(from: Worker, message: ToPrimary): void;
  /** Returns the reports of the workers that answer in time. */
  gather(topic: string, payload: unknown): Promise<unknown[]>;
  /** Stops waiting for a worker that has ended. */
  forget(worker: Worker): void;
}

interface SwitchboardOptions {
  workers(): Iterable<Worker>;
  /** Handlers for data that this process keeps for all workers, by topic. */
  answers: Readonly<Record<string, (payload: never) => unknown>>;
  /** Called with every report. */
  onReport?(topic: string, from: Worker, value: unknown): void;
  /** Returns additional reports on a topic. */
  more?(topic: string): unknown[];
}

interface Gathering {
  topic: string;
  missing: Set<number>;
  values: unknown[];
  finish(): void;
}

export function createSwitchboard({ workers, answers, onReport, more }: SwitchboardOptions): Switchboard {
  const gatherings = new Map<number, Gathering>();
  let last = 0;

  function send(worker: Worker, message: ToWorker): void {
    if (worker.isConnected()) worker.send(message, () => {});
  }

  async function answer(to: Worker, id: number, work: () => unknown): Promise<void> {
    try {
      send(to, { kind: "answer", id, value: await work() });
    } catch (error) {
      send(to, { kind: "answer", id, error: error instanceof Error ? error.message : String(error) });
    }
  }

  function gather(topic: string, payload: unknown): Promise<unknown[]> {
    const requested = [...workers()].filter((worker) => worker.isConnected());
    const id = (last += 1);
    return new Promise((resolve) => {
      const gathering: Gathering = {
        topic,
        missing: new Set(requested.map((worker) => worker.id)),
        values: more?.(topic) ?? [],
        finish() {
          clearTimeout(late);
          gatherings.delete(id);
          resolve(gathering.values);
        },
      };
      const late = setTimeout(gathering.finish, GATHER_MS);
      gatherings.set(id, gathering);
      for (const worker of requested) send(worker, { kind: "report", id, topic, payload });
      if (requested.length === 0) gathering.finish();
    });
  }

  function settle(gathering: Gathering, workerId: number): void {
    if (gathering.missing.delete(workerId) && gathering.missing.size === 0) gathering.finish();
  }

  return {
    gather,
    receive(from, message) {
      if (message.kind === "gather")
        void answer(from, message.id, () => gather(message.topic, message.payload));
      else if (message.kind === "ask") {
        const work = answers[message.topic];
        void answer(from, message.id, () => {
          if (work === undefined) throw new Error(`The primary process does not answer ${message.topic}.`);
          // The worker's side of the topic has the same type.
          return work(message.payload as never);
        });
      } else if (message.kind === "reported") {
        const gathering = gatherings.get(message.id);
        if (gathering === undefined || !gathering.missing.has(from.id)) return;
        if (message.value !== undefined) {
          gathering.values.push(message.value);
          onReport?.(gathering.topic, from, message.value);
        }
        settle(gathering, from.id);
      }
    },
    forget(worker) {
      for (const gathering of gatherings.values()) settle(gathering, worker.id);
    },
  };
}
