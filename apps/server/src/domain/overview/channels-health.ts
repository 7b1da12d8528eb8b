/** One row per channel with its last 24 hours. Channels with calls come first: there may be thousands. */
import { ChannelStatus } from "@gateway/shared/channels/channel";
import { callsOf } from "@gateway/shared/usage/figures";
import { type ChannelHealth, type ChannelsHealth, OVERVIEW_HOURS } from "@gateway/shared/usage/overview";
import type { DayUsage } from "#domain/usage/usage.ts";
import type { Pool } from "#platform/database/db.ts";
import type { TwoDays } from "./day-periods.ts";
import type { Latency, RescuedRow } from "./latency.ts";

const MOST_ROWS = 50;

interface ChannelRow {
  id: number;
  name: string;
  type: number;
  status: number;
  status_reason: string;
}

export async function channelsHealth(
  pool: Pool,
  input: { days: TwoDays; usage: readonly DayUsage[]; rescued: readonly RescuedRow[]; latency: Latency },
): Promise<ChannelsHealth> {
  const hourly = hourlyByChannel(input);
  const ranked = [...hourly].sort(([, a], [, b]) => attemptsOf(b) - attemptsOf(a)).map(([id]) => id);
  const [rows, counts] = await Promise.all([
    pool.query<ChannelRow>(
      `SELECT c.id, c.name, c.type, c.status, c.status_reason FROM channels c
         LEFT JOIN unnest($1::int[]) WITH ORDINALITY busy(id, place) ON busy.id = c.id
        WHERE c.deleted_at IS NULL
        ORDER BY busy.place NULLS LAST, c.status = ${ChannelStatus.autoDisabled} DESC,
          c.status = ${ChannelStatus.enabled} DESC, c.id
        LIMIT ${MOST_ROWS}`,
      [ranked.slice(0, MOST_ROWS)],
    ),
    pool.query<{ status: number; count: bigint }>(
      "SELECT status, count(*) AS count FROM channels WHERE deleted_at IS NULL GROUP BY 1",
    ),
  ]);
  const count = (status: number) => Number(counts.rows.find((row) => row.status === status)?.count ?? 0n);
  return {
    total: counts.rows.reduce((sum, row) => sum + Number(row.count), 0),
    enabled: count(ChannelStatus.enabled),
    disabled: count(ChannelStatus.disabled),
    auto_disabled: count(ChannelStatus.autoDisabled),
    rows: rows.rows.map((row) => ({
      ...row,
      ...(hourly.get(row.id) ?? noHours()),
      p50: input.latency.byChannel.get(row.id)?.p50 ?? null,
      p95: input.latency.byChannel.get(row.id)?.p95 ?? null,
    })),
  };
}

type Hours = Pick<ChannelHealth, "requests" | "failed" | "rescued" | "charged">;

export function noHours(): Hours {
  const zeros = () => Array.from({ length: OVERVIEW_HOURS }, () => 0);
  return { requests: zeros(), failed: zeros(), rescued: zeros(), charged: 0 };
}

export function hourlyByChannel({
  days,
  usage,
  rescued,
}: {
  days: TwoDays;
  usage: readonly DayUsage[];
  rescued: readonly RescuedRow[];
}): Map<number, Hours> {
  const channels = new Map<number, Hours>();
  function hoursOf(id: number): Hours {
    let hours = channels.get(id);
    if (hours === undefined) channels.set(id, (hours = noHours()));
    return hours;
  }
  for (const { day, key, ...sum } of usage) {
    // Calls that never reached a channel have the key "0".
    if (key === "0" || day < 0) continue;
    const hours = hoursOf(Number(key));
    add(hours.requests, day, callsOf(sum));
    add(hours.failed, day, sum.failed_count);
    hours.charged += sum.quota;
  }
  for (const { channel_id, hour, count } of rescued) {
    const place = days.hours.findIndex((start) => start.getTime() === hour.getTime()) - OVERVIEW_HOURS;
    if (place >= 0) add(hoursOf(channel_id).rescued, place, count);
  }
  return channels;
}

function add(values: number[], place: number, amount: number): void {
  values[place] = (values[place] ?? 0) + amount;
}

function attemptsOf({ requests, rescued }: Hours): number {
  return [...requests, ...rescued].reduce((sum, value) => sum + value, 0);
}
