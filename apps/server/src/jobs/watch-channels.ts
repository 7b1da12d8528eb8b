import { ChannelRunInput, type ChannelRunKind } from "@gateway/shared/channels/channel-run";
import { GatewayError } from "#errors.ts";
import type { Job, JobServices } from "./job.ts";

/** Tests all channels and refreshes their balances at the operator's intervals. Disabled by default. */
export const watchChannels: Job = {
  name: "watch-channels",
  every: "* * * * *",
  restingEvery: "*/5 * * * *",
  async run(services) {
    const { ChannelTestFrequency, ChannelUpdateFrequency } = services.probe.settings.current();
    await startIfDue(services, "test", ChannelTestFrequency);
    await startIfDue(services, "balance", ChannelUpdateFrequency);
  },
};

/**
 * Starts a run that continues after the job, because a thousand channels may take longer than a job should.
 */
async function startIfDue({ runner }: JobServices, kind: ChannelRunKind, minutes: number): Promise<void> {
  if (minutes === 0) return;
  try {
    await runner.start(ChannelRunInput.parse({ kind }), null, minutes);
  } catch (error) {
    // Not due yet, already running, or no channels: nothing is missed.
    if (!(error instanceof GatewayError)) throw error;
  }
}
