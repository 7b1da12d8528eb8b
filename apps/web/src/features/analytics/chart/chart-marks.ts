/** Changes that may explain a chart: disabled channels and changed prices. Pure. */
import type { AutoDisabledChannel } from "@gateway/shared/channels/auto-disabled";
import type { AuditRow } from "@gateway/shared/usage/audit";
import type { TFunction } from "i18next";
import { joinList } from "#lib/format/join-list.ts";
import { formatTime } from "#lib/format/quota.ts";
import type { ChartMark } from "#ui/charts/stacked-bars.tsx";

/** Names in one line of a tooltip. */
const mostNames = 3;

type Change = Pick<AuditRow, "created_time" | "action" | "target_name" | "target_id">;

const automatic = "auto-disabled";

/** Returns a channel that the gateway disabled as a change. The audit log has only the changes of people. */
export function automaticChange({ created_time, channel_id, channel_name }: AutoDisabledChannel): Change {
  return { created_time, action: automatic, target_name: channel_name, target_id: String(channel_id) };
}

/** @param dates local days of the chart */
export function marksOf(
  t: TFunction<"analytics">,
  changes: readonly Change[],
  dates: readonly string[],
): ChartMark[] {
  const dateOf = (change: Change) => formatTime(change.created_time).slice(0, 10);
  return dates.flatMap((date, day) => {
    const ofDay = changes.filter((change) => dateOf(change) === date);
    const names = (kind: string) => [
      ...new Set(
        ofDay
          .filter(({ action }) => action.startsWith(kind))
          .map((change) => change.target_name || change.target_id),
      ),
    ];
    const listNames = (all: string[]) =>
      joinList(all.slice(0, mostNames)) + (all.length > mostNames ? " …" : "");
    const [channels, prices, failing] = [names("channel."), names("price."), names(automatic)];
    return [
      ...(channels.length > 0
        ? [{ day, text: t("Disabled: {{names}}", { names: listNames(channels) }) }]
        : []),
      ...(failing.length > 0
        ? [{ day, text: t("Disabled automatically: {{names}}", { names: listNames(failing) }) }]
        : []),
      ...(prices.length > 0
        ? [{ day, text: t("Price changed: {{names}}", { names: listNames(prices) }) }]
        : []),
    ];
  });
}
