/** Tests and balance updates of many channels. The server runs them; the console shows their progress. */
import type {
  ChannelBalance,
  ChannelPulse,
  ChannelRun,
  ChannelRunDetail,
  ChannelRunForm,
  ChannelRunItem,
  ChannelTestRow,
} from "@gateway/shared/channels/channel-run";
import { queryOptions, type QueryClient, useMutation, useQueryClient } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { patchCachedRow, refreshChannels } from "#features/channels/api.ts";
import { ApiError, asList, asSent, http } from "#lib/http.ts";
import { readEvents } from "#lib/live/event-stream.ts";
import { allChannels } from "#lib/queries/channels.ts";
import { noteOutcome } from "./channel-tests.ts";

/** The newest runs of all nodes, including those started by other users. */
export const runsQuery = queryOptions({
  queryKey: ["channel-runs"],
  queryFn: () => http.get("/channel/run", asList<ChannelRun[]>()),
  refetchInterval: 15_000,
});

export function useStartRun() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (input: ChannelRunForm) => http.post("/channel/run", asSent<ChannelRun>(), input),
    onSuccess: () => client.invalidateQueries({ queryKey: runsQuery.queryKey }),
  });
}

export function useCancelRun() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (id: number) => http.post(`/channel/run/${id}/cancel`, asSent<ChannelRun>()),
    onSuccess: () => client.invalidateQueries({ queryKey: runsQuery.queryKey }),
  });
}

/** Follows a run and refreshes the list meanwhile; undefined until the first event. */
export function useRunProgress(id: number): ChannelRunDetail | undefined {
  const client = useQueryClient();
  const [seen, setSeen] = useState<ChannelRunDetail>();
  useEffect(() => {
    // After a reconnect the server sends all items again.
    const items = new Map<number, ChannelRunItem>();
    const closing = new AbortController();
    const take = (reported: ChannelRunDetail) => {
      for (const item of reported.items) {
        if (items.has(item.position)) continue;
        items.set(item.position, item);
        if (reported.run.kind === "test") showOutcome(client, item);
      }
      setSeen({ run: reported.run, items: [...items.values()] });
      if (reported.run.status === "running") return;
      closing.abort();
      void refreshChannels(client);
      void client.invalidateQueries({ queryKey: runsQuery.queryKey });
    };
    void follow(id, take, closing.signal);
    return () => closing.abort();
  }, [client, id]);
  return seen;
}

/** Reads the run's events until the signal aborts. Reconnects after a loss. */
async function follow(
  id: number,
  take: (seen: ChannelRunDetail) => void,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    try {
      await readEvents(`/channel/run/${id}/events`, { signal }, (data) => take(data as ChannelRunDetail));
    } catch (error) {
      // A rejection is final: the run no longer exists or is no longer visible to the user.
      if (error instanceof ApiError && error.status < 500) return;
    }
    if (!signal.aborted) await new Promise((resolve) => setTimeout(resolve, RECONNECT_MS));
  }
}

const RECONNECT_MS = 3_000;

function showOutcome(client: QueryClient, item: ChannelRunItem): void {
  if (item.outcome === "skipped") return;
  const at = Math.floor(Date.now() / 1000);
  const ok = item.outcome === "ok";
  const { model, duration, message, message_facts } = item;
  noteOutcome(
    client,
    item.channel_id,
    { ok, model, duration, message, message_facts, fault: ok ? "" : "server" },
    at,
  );
  if (ok)
    patchCachedRow(client, item.channel_id, (row) => ({
      ...row,
      response_time: item.duration,
      test_time: at,
    }));
}

/** The last tests of the visible channels, by channel. */
/** Maximum number of channels per request of the server; no screen shows more. */
const mostPulses = 100;

export const pulsesQuery = (channels: number[]) => {
  const ids = channels.slice(0, mostPulses).join(",");
  return queryOptions({
    queryKey: [...allChannels, "pulses", ids],
    queryFn: () => http.get("/channel/tests", asList<ChannelPulse[]>(), { ids }),
    enabled: ids !== "",
  });
};

export const testsQuery = (id: number) =>
  queryOptions({
    queryKey: [...allChannels, "tests", id],
    queryFn: () => http.get(`/channel/${id}/tests`, asList<ChannelTestRow[]>()),
  });

export function useRefreshBalance() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (id: number) => http.post(`/channel/update_balance/${id}`, asSent<ChannelBalance | null>()),
    onSuccess: (left, id) => {
      if (left === null) return;
      const at = Math.floor(Date.now() / 1000);
      patchCachedRow(client, id, (row) => ({
        ...row,
        balance: left.balance,
        balance_currency: left.currency,
        balance_updated_time: at,
      }));
    },
  });
}
