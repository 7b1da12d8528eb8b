/** Changes that may explain a chart: disabled channels and changed prices, from the audit log. Pure. */
import type { AuditRow } from "@gateway/shared/usage/audit";
import type { TFunction } from "i18next";
import { joinList } from "#lib/format/join-list.ts";
import { formatTime } from "#lib/format/quota.ts";
import type { ChartMark } from "#ui/charts/stacked-bars.tsx";

/** Names in one line of a tooltip. */
const mostNames = 3;

type Change = Pick<AuditRow, "created_time" | "action" | "target_name" | "target_id">;

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
    const listed = (all: string[]) =>
      joinList(all.slice(0, mostNames)) + (all.length > mostNames ? " …" : "");
    const [channels, prices] = [names("channel."), names("price.")];
    return [
      ...(channels.length > 0 ? [{ day, text: t("Disabled: {{names}}", { names: listed(channels) }) }] : []),
      ...(prices.length > 0 ? [{ day, text: t("Price changed: {{names}}", { names: listed(prices) }) }] : []),
    ];
  });
}
