import { ChannelRunInput, type ChannelRunKind } from "@gateway/shared/channels/channel-run";
import { GatewayError } from "#errors.ts";
import type { Job, JobServices } from "./job.ts";

/** Tests and balances of all channels, as often as the operator wants; never, unless he says so. */
export const watchChannels: Job = {
  name: "watch-channels",
  every: "* * * * *",
  async run(services) {
    const { ChannelTestFrequency, ChannelUpdateFrequency } = services.probe.settings.current();
    await startIfDue(services, "test", ChannelTestFrequency);
    await startIfDue(services, "balance", ChannelUpdateFrequency);
  },
};

/** The run goes on after the job: a thousand channels may take longer than a job should. */
async function startIfDue({ runner }: JobServices, kind: ChannelRunKind, minutes: number): Promise<void> {
  if (minutes === 0) return;
  try {
    await runner.start(ChannelRunInput.parse({ kind }), null, minutes);
  } catch (error) {
    // It is not time yet, one is under way already, or there are no channels: nothing is missed.
    if (!(error instanceof GatewayError)) throw error;
  }
}
