/** GET /api/analytics/auto_disabled: channels that the gateway disabled in a period, newest first. */
import { z } from "zod";
import { UnixTime } from "#paging.ts";

/** Maximum number of events in a response. */
export const MOST_AUTO_DISABLED = 50;

export const AutoDisabledChannel = z.object({
  created_time: UnixTime,
  channel_id: z.int(),
  channel_name: z.string(),
});
export type AutoDisabledChannel = z.infer<typeof AutoDisabledChannel>;
