/** 24 hours of a channel: a bar per hour, of all attempts. */
import type { HourlyAttempts } from "@gateway/shared/usage/channel-health";
import { useTranslation } from "react-i18next";
import { healthOf, hourOf, hourText } from "#lib/channel-hours.ts";
import { useFormat } from "#lib/format/quota.ts";
import { HourBars } from "./hour-bars.tsx";

/** Size of the bars in pixels, for a placeholder until they arrive. */
export const channelHoursSize = { w: 166, h: 22 };

/** @param since unix seconds of the first hour */
export function ChannelHoursBar({ channel, since }: { channel: HourlyAttempts; since: number }) {
  const { t } = useTranslation();
  const format = useFormat();
  const { calls, failed } = healthOf(channel);
  return (
    <HourBars
      label={t("24 hours: {{calls}} calls, {{failed}} failed", {
        calls: format.whole(calls),
        failed: format.whole(failed),
      })}
      bars={channel.requests.map((_, hour) => {
        const each = hourOf(channel, hour);
        const time = hourText(since, hour);
        const title =
          each.calls === 0
            ? t("{{time}}: no calls", { time })
            : t("{{time}}: {{calls}} calls, {{failed}} failed", {
                time,
                calls: format.whole(each.calls),
                failed: format.whole(each.failed),
              });
        return { key: time, title, share: each.calls === 0 ? null : 1 - each.failed / each.calls };
      })}
    />
  );
}
