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

export type Listener = (id: number) => void;

export interface Announcements {
  on(topic: Topic, listener: Listener): void;
  close(): Promise<void>;
}

/**
 * Listens on a connection of its own. After a lost connection every listener is called with 0, because what was
 * announced in between is unknown.
 */
export async function listen(url: string, onError: (error: Error) => void): Promise<Announcements> {
  const listeners = new Map<Topic, Listener[]>();
  let client: pg.Client | undefined;
  let closed = false;
  let retry: NodeJS.Timeout | undefined;

  function hear(payload: string): void {
    const [topic, id] = payload.split(":");
    for (const listener of listeners.get(topic as Topic) ?? []) listener(Number(id));
  }

  async function open(): Promise<void> {
    const next = new pg.Client({
      connectionString: url,
      keepAlive: true,
      application_name: "gateway-listen",
    });
    let lost = false;
    const lose = (error: Error) => {
      if (lost || closed) return;
      lost = true;
      onError(error);
      retry = setTimeout(reopen, 500);
    };
    next.on("error", lose);
    next.on("end", () => lose(new Error("The connection that listens for changes was closed.")));
    next.on("notification", (message) => hear(message.payload ?? ""));
    await next.connect();
    await next.query(`LISTEN ${CHANNEL}`);
    client = next;
  }

  function reopen(): void {
    open().then(
      () => {
        for (const all of listeners.values()) for (const listener of all) listener(0);
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
    async close() {
      closed = true;
      clearTimeout(retry);
      await client?.end().catch(() => {});
    },
  };
}

/**
 * Runs a reload one at a time: what is announced meanwhile is answered by exactly one more run, so an old read never
 * ends after a new one.
 */
export function coalesce(reload: () => Promise<void>, onError: (error: unknown) => void): () => void {
  let running = false;
  let again = false;
  async function run(): Promise<void> {
    running = true;
    do {
      again = false;
      try {
        await reload();
      } catch (error) {
        onError(error);
      }
    } while (again);
    running = false;
  }
  return () => {
    again = true;
    if (!running) void run();
  };
}
