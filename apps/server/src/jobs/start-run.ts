import { ChannelRunInput, type ChannelRunKind } from "@gateway/shared/channels/channel-run";
import { GatewayError } from "#errors.ts";
import type { JobServices } from "./job.ts";

/**
 * Starts a run over all channels if the last one began at least `minutes` ago. It continues after the job,
 * because a thousand channels may take longer than a job should.
 */
export async function startRunIfDue(
  { runner }: JobServices,
  kind: ChannelRunKind,
  minutes: number,
): Promise<void> {
  try {
    await runner.start(ChannelRunInput.parse({ kind }), null, minutes);
  } catch (error) {
    // Not due yet, already running, or no channels: nothing is missed.
    if (!(error instanceof GatewayError)) throw error;
  }
}
