import type { Share } from "#domain/limits/levels.ts";

/** The first message to a worker. */
export interface WorkerTask {
  kind: "task";
  /** From 0. A replacement keeps the number of the worker it replaces. */
  number: number;
  nodeId: string;
  databaseUrl: string;
  /** Port of the first worker, once it listens. */
  port?: number;
  /** This worker seeds the database and returns the set-up token. The others start after it. */
  first: boolean;
  /** Node ids of all workers, including those that just ended. */
  siblings: string[];
}

export type ToWorker =
  | WorkerTask
  | { kind: "siblings"; siblings: string[] }
  /** Answer to `ask` or `gather`. */
  | { kind: "answer"; id: number; value?: unknown; error?: string }
  /** Requests this worker's report for another worker's `gather`. */
  | { kind: "report"; id: number; topic: string; payload: unknown };

export type ToPrimary =
  | { kind: "started"; url: string; port: number; setupToken?: string }
  | { kind: "share"; share: Share }
  /** Requests data that the primary process keeps for all workers. */
  | { kind: "ask"; id: number; topic: string; payload: unknown }
  /** Requests the reports of all workers on a topic. */
  | { kind: "gather"; id: number; topic: string; payload: unknown }
  /** A report. Without a value the worker is omitted: it has just started, or its report failed. */
  | { kind: "reported"; id: number; value?: unknown };

/** Maximum waits in milliseconds: of a worker for the primary process, and of that process for reports. */
export const ASK_MS = 1_000;
export const GATHER_MS = 3_000;
