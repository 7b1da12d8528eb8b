import { randomUUID } from "node:crypto";
import { Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { type Activity, alwaysActive } from "./activity.ts";
import type { Db } from "./database/db.ts";
import { withinTime } from "./time-limit.ts";

/**
 * Notifies every node that data it may have cached has changed. The announcement is part of the transaction
 * that makes the change. Nodes receive it if and only if that transaction commits.
 */
export type Topic =
  | "channels"
  | "pauses"
  | "tokens"
  | "users"
  | "groups"
  | "prices"
  | "settings"
  | "leases"
  | "log-export"
  | "jobs"
  | "mcp";

const CHANNEL = "gateway_changes";

/** Announces a change. `id` narrows it to one row; 0 means "any row of this topic". */
export async function announce(db: Db, topic: Topic, id = 0): Promise<void> {
  await db.$executeRaw`SELECT pg_notify(${CHANNEL}, ${`${topic}:${id}`})`;
}

/**
 * If the listener returns a promise, it resolves when the change is applied. A listener that rejects is
 * called again.
 */
export type Listener = (id: number) => unknown;

export interface Announcements {
  /**
   * Subscribes to a topic. Changes announced between `listen` and this call are delivered once, with id 0.
   */
  on(topic: Topic, listener: Listener): void;
  /**
   * Resolves when this node has applied everything announced before the call. After it, a change made on this
   * node takes effect here. Stops waiting after one second.
   */
  caughtUp(): Promise<void>;
  /**
   * Topics with a change that could not be applied yet, and milliseconds since then. Such changes are
   * retried.
   */
  stale(): { topic: Topic; forMs: number }[];
  /** Number of failed attempts to apply a change since the start, by topic. */
  failures(): ReadonlyMap<Topic, number>;
  /**
   * Called when the connection turns out to be silent. Other connections may be silent too, and nothing else
   * checks idle ones.
   */
  onSilence(listener: () => void): void;
  close(): Promise<void>;
}

interface ListenOptions {
  activity?: Pick<Activity, "isResting" | "onWake">;
  /** Interval between checks of the connection, and the time limit of each check, in milliseconds. */
  beatMs?: number;
}

/** Interval between checks while the node rests. A check follows at once when the rest ends. */
const RESTING_BEAT_MS = 60_000;

const CATCH_UP_MS = 1_000;
const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 5_000;

/** Delivers changes to their listeners, and tries again until each has applied its change. */
class ChangeListeners {
  readonly #listeners = new Map<Topic, Listener[]>();
  /** Topics with changes announced before anyone subscribed. */
  readonly #missed = new Set<Topic>();
  readonly #failing = new Map<Topic, { since: number; count: number }>();
  readonly #onError: (error: Error) => void;
  readonly #closing: AbortSignal;
  /** Number of failed attempts by topic. */
  readonly failures = new Map<Topic, number>();
  /** Resolves when all changes announced so far are applied. */
  applied: Promise<unknown> = Promise.resolve();

  constructor(onError: (error: Error) => void, closing: AbortSignal) {
    this.#onError = onError;
    this.#closing = closing;
  }

  add(topic: Topic, listener: Listener): void {
    this.#listeners.set(topic, [...(this.#listeners.get(topic) ?? []), listener]);
    if (this.#missed.delete(topic)) this.tell(topic, 0);
  }

  tell(topic: Topic, id: number): void {
    const all = this.#listeners.get(topic);
    if (all === undefined) this.#missed.add(topic);
    const begun = (all ?? []).map((listener) => this.#apply(topic, listener, id));
    this.applied = Promise.allSettled([this.applied, ...begun]);
  }

  /** Tells all listeners that anything may have changed. */
  tellAll(): void {
    for (const topic of this.#listeners.keys()) this.tell(topic, 0);
  }

  stale(): { topic: Topic; forMs: number }[] {
    return [...this.#failing].map(([topic, { since }]) => ({ topic, forMs: performance.now() - since }));
  }

  /** Resolves when the listener has applied the change, however often it fails before. */
  async #apply(topic: Topic, listener: Listener, id: number): Promise<void> {
    let failed = false;
    for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS)) {
      try {
        await listener(id);
        break;
      } catch (cause) {
        if (this.#closing.aborted) return;
        if (!failed) this.#countFailing(topic, 1);
        failed = true;
        this.failures.set(topic, (this.failures.get(topic) ?? 0) + 1);
        this.#onError(new Error(`A change of ${topic} could not be loaded; trying again.`, { cause }));
        await sleep(pauseMs, undefined, { signal: this.#closing, ref: false }).catch(() => undefined);
        if (this.#closing.aborted) return;
      }
    }
    if (failed) this.#countFailing(topic, -1);
  }

  #countFailing(topic: Topic, change: 1 | -1): void {
    const before = this.#failing.get(topic) ?? { since: performance.now(), count: 0 };
    if (before.count + change === 0) this.#failing.delete(topic);
    else this.#failing.set(topic, { ...before, count: before.count + change });
  }
}

/**
 * Listens on a connection of its own. After a lost connection every listener is called with 0, because the
 * changes announced in between are unknown. A silent connection is detected with a notification to itself.
 */
export async function listen(
  url: string,
  onError: (error: Error) => void,
  { activity = alwaysActive, beatMs = 5_000 }: ListenOptions = {},
): Promise<Announcements> {
  const waiting = new Map<string, () => void>();
  const silenceListeners: (() => void)[] = [];
  const closing = new AbortController();
  const changes = new ChangeListeners(onError, closing.signal);
  let sending: Promise<unknown> = Promise.resolve();
  let current: { client: pg.Client; socket: Socket } | undefined;
  let retry: NodeJS.Timeout | undefined;
  let beat: NodeJS.Timeout | undefined;

  function hear(payload: string): void {
    const [topic = "", id = ""] = payload.split(":");
    if (topic === "mark") waiting.get(id)?.();
    else changes.tell(topic as Topic, Number(id));
  }

  /** Sends a notification to this connection. Rejects when it does not arrive in time. */
  async function roundTrip(withinMs: number): Promise<void> {
    if (current === undefined)
      throw new Error("The connection that listens for changes is being opened again.");
    const { client } = current;
    const mark = randomUUID();
    const returned = new Promise<void>((resolve) => {
      waiting.set(mark, resolve);
    });
    // Statements run one at a time on this connection, however many are waiting.
    const sent = (sending = sending
      .catch(() => undefined)
      .then(() => client.query("SELECT pg_notify($1, $2)", [CHANNEL, `mark:${mark}`])));
    const late = () =>
      new Error(`The connection that listens for changes did not answer for ${withinMs} ms.`);
    try {
      await withinTime(withinMs, Promise.all([sent, returned]), late);
    } finally {
      waiting.delete(mark);
    }
  }

  function scheduleBeat(): void {
    clearTimeout(beat);
    beat = setTimeout(checkConnection, activity.isResting ? RESTING_BEAT_MS : beatMs).unref();
  }

  function checkConnection(): void {
    clearTimeout(beat);
    const { socket } = current ?? {};
    roundTrip(beatMs).then(scheduleBeat, (error: Error) => {
      if (closing.signal.aborted) return;
      if (socket === undefined || socket.destroyed) {
        scheduleBeat();
        return;
      }
      socket.destroy(error);
      for (const listener of silenceListeners) listener();
    });
  }

  async function open(): Promise<void> {
    const socket = new Socket();
    const next = new pg.Client({
      connectionString: url,
      keepAlive: true,
      connectionTimeoutMillis: 5_000,
      application_name: "gateway-listen",
      stream: () => socket,
    });
    // Only an open connection can be lost. When opening fails, the caller that opened it retries.
    let state: "opening" | "open" | "lost" = "opening";
    const lose = (error: Error) => {
      if (state !== "open" || closing.signal.aborted) return;
      state = "lost";
      current = undefined;
      onError(error);
      retry = setTimeout(reopen, 500);
    };
    next.on("error", lose);
    next.on("end", () => lose(new Error("The connection that listens for changes was closed.")));
    next.on("notification", (message) => hear(message.payload ?? ""));
    const late = setTimeout(() => socket.destroy(), 10_000);
    const stop = () => socket.destroy();
    closing.signal.addEventListener("abort", stop, { once: true });
    try {
      await next.connect();
      await next.query(`LISTEN ${CHANNEL}`);
      closing.signal.throwIfAborted();
    } catch (error) {
      socket.destroy();
      throw error;
    } finally {
      clearTimeout(late);
      closing.signal.removeEventListener("abort", stop);
    }
    state = "open";
    current = { client: next, socket };
    scheduleBeat();
  }

  function reopen(): void {
    open().then(
      () => changes.tellAll(),
      (error: Error) => {
        if (closing.signal.aborted) return;
        onError(error);
        retry = setTimeout(reopen, 1_000);
      },
    );
  }

  await open();
  const forget = activity.onWake(checkConnection);
  return {
    on: (topic, listener) => changes.add(topic, listener),
    async caughtUp() {
      const late = sleep(CATCH_UP_MS, undefined, { ref: false });
      // Announcements arrive in the order of their commits, so everything before the mark has been received.
      await Promise.race([roundTrip(CATCH_UP_MS).then(() => changes.applied), late]).catch(onError);
    },
    stale: () => changes.stale(),
    failures: () => changes.failures,
    onSilence: (listener) => silenceListeners.push(listener),
    async close() {
      closing.abort();
      forget();
      clearTimeout(retry);
      clearTimeout(beat);
      const { client, socket } = current ?? {};
      const late = setTimeout(() => socket?.destroy(), 1_000);
      await client?.end().catch(() => {});
      clearTimeout(late);
    },
  };
}

/**
 * Runs at most one reload at a time. All calls during a run share exactly one further run, so an old read
 * never ends after a new one. Each call resolves with the run that began after it, and rejects when that run
 * fails.
 */
export function coalesce(reload: () => Promise<void>): () => Promise<void> {
  let current: Promise<void> | undefined;
  let next: Promise<void> | undefined;
  function run(): Promise<void> {
    current = reload().finally(() => {
      current = undefined;
    });
    return current;
  }
  return () => {
    if (current === undefined) return run();
    next ??= current
      .catch(() => undefined)
      .then(() => {
        next = undefined;
        return run();
      });
    return next;
  };
}
