import type { AttemptNote } from "@gateway/shared/usage/log";

/**
 * Returns attempts as readers may see them who may not know the channels: numbered in the order in which they were
 * tried, without their names and without the provider's texts.
 */
export function numberChannels(attempts: readonly AttemptNote[]): AttemptNote[] {
  const tried = [...new Set(attempts.map(({ channel_id }) => channel_id))];
  return attempts.map(({ channel_id, result, status, duration, begun }) => ({
    channel_id: tried.indexOf(channel_id) + 1,
    channel_name: "",
    result,
    status,
    duration,
    message: "",
    ...(begun === undefined ? {} : { begun }),
  }));
}
