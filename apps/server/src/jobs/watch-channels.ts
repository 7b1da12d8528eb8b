import type { Job } from "./job.ts";
import { startRunIfDue } from "./start-run.ts";

/** Tests all channels and refreshes their balances at the operator's intervals. Disabled by default. */
export const watchChannels: Job = {
  name: "watch-channels",
  every: "* * * * *",
  restingEvery: "*/5 * * * *",
  async run(services) {
    const { ChannelTestFrequency, ChannelUpdateFrequency } = services.probe.settings.current();
    if (ChannelTestFrequency > 0) await startRunIfDue(services, "test", ChannelTestFrequency);
    if (ChannelUpdateFrequency > 0) await startRunIfDue(services, "balance", ChannelUpdateFrequency);
  },
};
