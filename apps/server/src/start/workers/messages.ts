import type { Share } from "#domain/limits/node-count.ts";

/** What the processes of one machine say to each other when it runs several workers. */

/** The first message to a worker. */
export interface WorkerTask {
  kind: "task";
  /** From 0. A worker that replaces another one has its number. */
  number: number;
  nodeId: string;
  databaseUrl: string;
  /** Where the first worker listens, once it does. */
  port?: number;
  /** This worker seeds the database and answers with a set-up token; the others start after it. */
  first: boolean;
  /** Node ids of all workers, those that ended a moment ago included. */
  siblings: string[];
}

export type ToWorker =
  | WorkerTask
  | { kind: "siblings"; siblings: string[] }
  /** The answer to `ask` or `gather`. */
  | { kind: "answer"; id: number; value?: unknown; error?: string }
  /** Asks for this worker's part of what another one gathers. */
  | { kind: "report"; id: number; topic: string; payload: unknown };

export type ToPrimary =
  | { kind: "started"; url: string; port: number; setupToken?: string }
  | { kind: "share"; share: Share }
  /** Something that the primary process keeps for all workers. */
  | { kind: "ask"; id: number; topic: string; payload: unknown }
  /** The reports of all workers on a topic. */
  | { kind: "gather"; id: number; topic: string; payload: unknown }
  /** Without a value the worker is left out: it has just started, or could not say. */
  | { kind: "reported"; id: number; value?: unknown };

/** How long a worker waits for the primary process, and the primary for the workers' reports. Milliseconds. */
export const ASK_MS = 1_000;
export const GATHER_MS = 3_000;
