import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import type { Db } from "./db.ts";

/**
 * Tells every node that something it may have cached has changed. The announcement is part of the transaction that
 * makes the change: it is heard when, and only when, that commits.
 */
export type Topic = "channels" | "tokens" | "users" | "groups" | "prices" | "settings";

const CHANNEL = "gateway_changes";

/** `id` narrows the change to one row; 0 means "anything of this topic". */
export async function announce(db: Db, topic: Topic, id = 0): Promise<void> {
  await db.$executeRaw`SELECT pg_notify(${CHANNEL}, ${`${topic}:${id}`})`;
}

/** A promise it answers, if any, ends when the change has been taken in. */
export type Listener = (id: number) => unknown;

export interface Announcements {
  on(topic: Topic, listener: Listener): void;
  /**
   * Ends when this node has taken in everything that was announced before the call, so that who changes something
   * here can use it here at once. Gives up waiting after a second.
   */
  caughtUp(): Promise<void>;
  close(): Promise<void>;
}

const CATCH_UP_MS = 1_000;

/**
 * Listens on a connection of its own. After a lost connection every listener is called with 0, because what was
 * announced in between is unknown.
 */
export async function listen(url: string, onError: (error: Error) => void): Promise<Announcements> {
  const listeners = new Map<Topic, Listener[]>();
  const waiting = new Map<string, () => void>();
  let taking: Promise<unknown> = Promise.resolve();
  let client: pg.Client | undefined;
  let closed = false;
  let retry: NodeJS.Timeout | undefined;

  function tell(heard: readonly Listener[], id: number): void {
    const begun = heard.map((listener) => listener(id));
    taking = Promise.allSettled([taking, ...begun]);
  }

  function hear(payload: string): void {
    const [topic = "", id = ""] = payload.split(":");
    if (topic === "mark") waiting.get(id)?.();
    else tell(listeners.get(topic as Topic) ?? [], Number(id));
  }

  async function open(): Promise<void> {
    const next = new pg.Client({
      connectionString: url,
      keepAlive: true,
      application_name: "gateway-listen",
    });
    // Only what was open can be lost: a connection that is never made is tried again by who wanted it.
    let state: "opening" | "open" | "lost" = "opening";
    const lose = (error: Error) => {
      if (state !== "open" || closed) return;
      state = "lost";
      onError(error);
      retry = setTimeout(reopen, 500);
    };
    next.on("error", lose);
    next.on("end", () => lose(new Error("The connection that listens for changes was closed.")));
    next.on("notification", (message) => hear(message.payload ?? ""));
    try {
      await next.connect();
      await next.query(`LISTEN ${CHANNEL}`);
    } catch (error) {
      next.end().catch(() => {});
      throw error;
    }
    state = "open";
    client = next;
  }

  function reopen(): void {
    open().then(
      () => {
        for (const all of listeners.values()) tell(all, 0);
      },
      (error: Error) => {
        onError(error);
        if (!closed) retry = setTimeout(reopen, 1_000);
      },
    );
  }

  await open();
  return {
    on(topic, listener) {
      listeners.set(topic, [...(listeners.get(topic) ?? []), listener]);
    },
    async caughtUp() {
      const mark = randomUUID();
      const heard = new Promise<void>((resolve) => {
        waiting.set(mark, resolve);
      });
      const late = sleep(CATCH_UP_MS, undefined, { ref: false });
      try {
        // Announcements arrive in the order of their commits: what came before the mark has been heard with it.
        await client?.query("SELECT pg_notify($1, $2)", [CHANNEL, `mark:${mark}`]);
        await Promise.race([heard.then(() => taking), late]);
      } catch (error) {
        onError(error instanceof Error ? error : new Error(String(error)));
      } finally {
        waiting.delete(mark);
      }
    },
    async close() {
      closed = true;
      clearTimeout(retry);
      await client?.end().catch(() => {});
    },
  };
}

/**
 * Runs a reload one at a time: what is announced meanwhile is answered by exactly one more run, so an old read never
 * ends after a new one. Each call ends with the run that began after it.
 */
export function coalesce(
  reload: () => Promise<void>,
  onError: (error: unknown) => void,
): () => Promise<void> {
  let current: Promise<void> | undefined;
  let next: Promise<void> | undefined;
  function run(): Promise<void> {
    current = reload()
      .catch((error: unknown) => onError(error))
      .finally(() => {
        current = undefined;
      });
    return current;
  }
  return () => {
    if (current === undefined) return run();
    next ??= current.then(() => {
      next = undefined;
      return run();
    });
    return next;
  };
}
