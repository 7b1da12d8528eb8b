/** Tests and balances of many channels: the server does them, the console watches. */
import {
  ChannelBalance,
  ChannelPulse,
  ChannelRun,
  ChannelRunDetail,
  type ChannelRunForm,
  type ChannelRunItem,
  ChannelTestRow,
} from "@gateway/shared/channel-run";
import { queryOptions, type QueryClient, useMutation, useQueryClient } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { z } from "zod";
import { apiUrl, http } from "#lib/http.ts";
import { amendRow, refreshChannels } from "./api.ts";
import { noteOutcome } from "./channel-tests.ts";

/** The newest runs of all nodes; one that somebody else started shows up, too. */
export const runsQuery = queryOptions({
  queryKey: ["channel-runs"],
  queryFn: () => http.get("/channel/run", z.array(ChannelRun)),
  refetchInterval: 15_000,
});

export function useStartRun() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (input: ChannelRunForm) => http.post("/channel/run", ChannelRun, input),
    onSuccess: () => client.invalidateQueries({ queryKey: runsQuery.queryKey }),
  });
}

export function useCancelRun() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (id: number) => http.post(`/channel/run/${id}/cancel`, ChannelRun),
    onSuccess: () => client.invalidateQueries({ queryKey: runsQuery.queryKey }),
  });
}

/** A run as it goes on; undefined until the server has spoken. The list follows while it does. */
export function useRunProgress(id: number): ChannelRunDetail | undefined {
  const client = useQueryClient();
  const [seen, setSeen] = useState<ChannelRunDetail>();
  useEffect(() => {
    // A connection that was lost is opened again by the browser, and then everything is told anew.
    const items = new Map<number, ChannelRunItem>();
    const source = new EventSource(apiUrl(`/channel/run/${id}/events`));
    source.addEventListener("message", (event: MessageEvent<string>) => {
      const told = ChannelRunDetail.parse(JSON.parse(event.data));
      for (const item of told.items) {
        if (items.has(item.position)) continue;
        items.set(item.position, item);
        if (told.run.kind === "test") showOutcome(client, item);
      }
      setSeen({ run: told.run, items: [...items.values()] });
      if (told.run.status === "running") return;
      source.close();
      void refreshChannels(client);
      void client.invalidateQueries({ queryKey: runsQuery.queryKey });
    });
    return () => source.close();
  }, [client, id]);
  return seen;
}

function showOutcome(client: QueryClient, item: ChannelRunItem): void {
  if (item.outcome === "skipped") return;
  const at = Math.floor(Date.now() / 1000);
  const ok = item.outcome === "ok";
  const { model, duration, message } = item;
  noteOutcome(client, item.channel_id, { ok, model, duration, message, fault: ok ? "" : "server" }, at);
  if (ok)
    amendRow(client, item.channel_id, (row) => ({ ...row, response_time: item.duration, test_time: at }));
}

/** The last tests of the channels on screen, by channel. */
/** No screen shows more at once than the server answers for. */
const mostPulses = 100;

export const pulsesQuery = (channels: number[]) => {
  const ids = channels.slice(0, mostPulses).join(",");
  return queryOptions({
    queryKey: ["channels", "pulses", ids],
    queryFn: () => http.get("/channel/tests", z.array(ChannelPulse), { ids }),
    enabled: ids !== "",
  });
};

export const testsQuery = (id: number) =>
  queryOptions({
    queryKey: ["channels", "tests", id],
    queryFn: () => http.get(`/channel/${id}/tests`, z.array(ChannelTestRow)),
  });

export function useRefreshBalance() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (id: number) => http.post(`/channel/update_balance/${id}`, ChannelBalance.nullable()),
    onSuccess: (left, id) => {
      if (left === null) return;
      const at = Math.floor(Date.now() / 1000);
      amendRow(client, id, (row) => ({
        ...row,
        balance: left.balance,
        balance_currency: left.currency,
        balance_updated_time: at,
      }));
    },
  });
}
