/** Applies one change to many channels in batches, with live progress and a stop button. */
import type { ChannelBatchAnswer, ChannelFault } from "@gateway/shared/channels/channel-batch";
import { useQueryClient } from "@tanstack/react-query";
import { useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { refreshChannels } from "#features/channels/api.ts";
import { errorReason } from "#lib/errors/error-text.ts";

export type BatchFault = ChannelFault;
export type Batch = {
  /** Progress label: "Deleting". */
  verb: string;
  total: number;
  done: number;
  faults: BatchFault[];
  running: boolean;
};

/** Batch size: small enough for visible progress, large enough to make network latency irrelevant. */
const portion = 25;

export function useBatch() {
  const { t } = useTranslation("channels");
  const client = useQueryClient();
  const [batch, setBatch] = useState<Batch | null>(null);
  const stopped = useRef(false);

  /** Never rejects. A failed request is a fault of each channel of its batch. */
  const run = async (
    verb: string,
    ids: number[],
    send: (ids: number[]) => Promise<ChannelBatchAnswer>,
  ): Promise<ChannelBatchAnswer> => {
    stopped.current = false;
    const answer: ChannelBatchAnswer = { done: [], failed: [] };
    const show = (running: boolean) =>
      setBatch({
        verb,
        total: ids.length,
        done: answer.done.length + answer.failed.length,
        faults: [...answer.failed],
        running,
      });
    show(true);
    for (let at = 0; at < ids.length && !stopped.current; at += portion) {
      const some = ids.slice(at, at + portion);
      try {
        const { done, failed } = await send(some);
        answer.done.push(...done);
        answer.failed.push(...failed);
      } catch (error) {
        const message = errorReason(error, t);
        answer.failed.push(...some.map((id) => ({ id, name: `#${id}`, message, code: "", params: {} })));
      }
      show(true);
    }
    show(false);
    await refreshChannels(client);
    return answer;
  };

  return {
    batch,
    run,
    stop: () => {
      stopped.current = true;
    },
    dismiss: () => setBatch(null),
  };
}
