/** One action on many channels, a few at a time, with live progress and a way to stop. */
import { useQueryClient } from "@tanstack/react-query";
import { useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { errorReason } from "#lib/error-text.ts";
import { refreshChannels } from "./api.ts";

export type BatchFault = { id: number; message: string };
export type Batch = {
  /** The word for what is going on: "Testing". */
  verb: string;
  total: number;
  done: number;
  faults: BatchFault[];
  running: boolean;
};

const atOnce = 3;

export function useBatch() {
  const { t } = useTranslation();
  const client = useQueryClient();
  const [batch, setBatch] = useState<Batch | null>(null);
  const stopped = useRef(false);

  /** @param work resolves to a sentence when it went wrong without an error. Resolves to what went wrong. */
  const run = async (
    verb: string,
    ids: number[],
    work: (id: number) => Promise<string | null>,
  ): Promise<BatchFault[]> => {
    stopped.current = false;
    const waiting = [...ids];
    const faults: BatchFault[] = [];
    let done = 0;
    const show = (running: boolean) =>
      setBatch({ verb, total: ids.length, done, faults: [...faults], running });
    show(true);
    const worker = async () => {
      for (let id = waiting.shift(); id !== undefined && !stopped.current; id = waiting.shift()) {
        const message = await work(id).catch((error: unknown) => errorReason(error, t));
        if (message !== null) faults.push({ id, message });
        done += 1;
        show(true);
      }
    };
    await Promise.all(Array.from({ length: atOnce }, worker));
    show(false);
    await refreshChannels(client);
    return faults;
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
