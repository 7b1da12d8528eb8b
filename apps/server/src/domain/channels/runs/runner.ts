/**
 * Executes the runs that were started on this node, a few channels at a time. It does not know what a task
 * does.
 */
import type { ChannelRunInput, ChannelRunKind } from "@gateway/shared/channels/channel-run";
import type { Reason } from "@gateway/shared/reasons";
import { GatewayError, internalError, reasonOfError } from "#errors.ts";
import type { PrismaClient } from "#platform/prisma/client.ts";
import { beat, endRun, recordItem, openRun, type ItemOutcome, type WorkItem } from "./runs.ts";

export interface Done {
  outcome: ItemOutcome;
  /** The model that was tested. */
  model: string;
  /** In milliseconds. */
  duration: number;
  message: Reason;
}

export type Work = (channelId: number, model: string) => Promise<Done>;

export interface ChannelRunner {
  /**
   * Starts a run in the background and returns its id at once. Throws `conflict` while another run of its
   * kind is active.
   * @param minutes interval of the scheduler: throws `conflict` if its last run of this kind started less
   *   long ago
   */
  start(input: ChannelRunInput, userId: number | null, minutes?: number): Promise<number>;
  /** Stops the active runs after their current calls, and waits for those calls. */
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
    // Written one after the other: the numbers must become visible in order, or a reader would miss one.
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
        written = written
          .then(() => {
            finished += 1;
            return recordItem(db, id, position, { ...done, finished });
          })
          // The result of one channel is lost; the run goes on and must end.
          .catch(onError);
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

/** Converts an error of a task to a failed result. Internal errors are also reported. */
function failure(error: unknown, model: string, onError: (error: unknown) => void): Done {
  if (error instanceof GatewayError)
    return { outcome: "failed", model, duration: 0, message: reasonOfError(error) };
  onError(error);
  return { outcome: "failed", model, duration: 0, message: reasonOfError(internalError(error)) };
}
