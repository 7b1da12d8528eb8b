import type { ChannelRunInput, ChannelRunKind } from "@gateway/shared/channels/channel-run";
import type { Reason } from "@gateway/shared/reasons";
import { GatewayError, internalError, reasonOfError } from "#errors.ts";
import type { PrismaClient } from "#platform/prisma/client.ts";
import { beat, endRun, noteItem, openRun, type Outcome, type WorkItem } from "./runs.ts";

/** Does the runs that were started on this node, a few channels at a time. It must never know what a test is. */

export interface Done {
  outcome: Outcome;
  /** What was tested in the end. */
  model: string;
  /** Milliseconds. */
  duration: number;
  message: Reason;
}

export type Work = (channelId: number, model: string) => Promise<Done>;

export interface ChannelRunner {
  /**
   * Answers the number of the run at once; the work goes on. Throws `conflict` while one of its kind is under way.
   * @param minutes of the clock: throws `conflict` too when its last run of this kind began less long ago
   */
  start(input: ChannelRunInput, userId: number | null, minutes?: number): Promise<number>;
  /** Stops what is under way after the calls that are out, and waits for them. */
  close(): Promise<void>;
}

const AT_ONCE = 4;
const BEAT_MS = 2_000;

export function createChannelRunner(
  db: PrismaClient,
  work: Record<ChannelRunKind, Work>,
  onError: (error: unknown) => void,
): ChannelRunner {
  const open = new Set<Promise<void>>();
  const closing = new AbortController();

  async function run(id: number, items: readonly WorkItem[], task: Work): Promise<void> {
    const stopped = new AbortController();
    const stop = AbortSignal.any([stopped.signal, closing.signal]);
    let finished = 0;
    // Written one after the other: the numbers must appear in their order, or a watcher would miss one.
    let written = Promise.resolve();
    const waiting = [...items];
    const pulse = setInterval(() => {
      beat(db, id).then(
        (wanted) => {
          if (!wanted) stopped.abort();
        },
        (error: unknown) => onError(error),
      );
    }, BEAT_MS);
    const worker = async () => {
      while (!stop.aborted) {
        const item = waiting.shift();
        if (item === undefined) return;
        const { position, channelId, model } = item;
        const done = await task(channelId, model).catch((error: unknown) => failure(error, model, onError));
        written = written.then(() => {
          finished += 1;
          return noteItem(db, id, position, { ...done, finished });
        });
        await written;
      }
    };
    try {
      await Promise.all(Array.from({ length: AT_ONCE }, worker));
      await endRun(db, id, closing.signal.aborted && waiting.length > 0 ? "interrupted" : "done");
    } finally {
      clearInterval(pulse);
    }
  }

  return {
    async start(input, userId, minutes) {
      const { id, items } = await openRun(db, input, userId, minutes);
      const going = run(id, items, work[input.kind])
        .catch((error: unknown) => onError(error))
        .finally(() => open.delete(going));
      open.add(going);
      return id;
    },
    async close() {
      closing.abort();
      await Promise.all(open);
    },
  };
}

/** What a task throws is about its channel; what is our own mistake is reported, too. */
function failure(error: unknown, model: string, onError: (error: unknown) => void): Done {
  if (error instanceof GatewayError)
    return { outcome: "failed", model, duration: 0, message: reasonOfError(error) };
  onError(error);
  return { outcome: "failed", model, duration: 0, message: reasonOfError(internalError(error)) };
}
