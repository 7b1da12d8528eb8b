import { loadChannels } from "#domain/channels/candidates.ts";
import { testModelOf } from "#domain/channels/channel-in-force.ts";
import { reviveChannel } from "#domain/channels/health.ts";
import { probeChannel } from "#relay/probe.ts";
import type { Job } from "./job.ts";

/** Tests what was switched off automatically, and only that: what a person switched off stays off. */
export const reviveChannels: Job = {
  name: "revive-channels",
  every: "*/5 * * * *",
  async run({ db, secrets, probe }) {
    if (!probe.settings.current().AutomaticEnableChannelEnabled) return;
    for (const channel of await loadChannels(db, secrets, probe.providers, 3)) {
      const model = testModelOf(channel);
      if (model === undefined) continue;
      const result = await probeChannel(probe, channel, model);
      if (result.ok) await reviveChannel(db, channel.id, `A test with ${model} went well.`);
    }
  },
};
