import { reasonOf } from "@gateway/shared/reasons";
import { type ActiveChannel, testModelOf } from "#domain/channels/active-channel.ts";
import { reviveChannel } from "#domain/channels/channel-state.ts";
import { loadChannels } from "#domain/channels/load-channels.ts";
import { probeChannel } from "#relay/probe/probe.ts";
import type { Job, JobServices } from "./job.ts";

/** Tests channels and keys that were disabled automatically. Those disabled by a person stay disabled. */
export const reviveChannels: Job = {
  name: "revive-channels",
  every: "*/5 * * * *",
  async run(services) {
    const { db, secrets, probe } = services;
    if (!probe.settings.current().AutomaticEnableChannelEnabled) return;
    const read = { db, secrets, providers: probe.providers };
    const off = await loadChannels(read, { status: 3, keys: [1, 3] });
    const withoutKeys = await loadChannels(read, { status: 1, keys: [3], onlyWithKeys: true });
    for (const channel of [...off, ...withoutKeys]) await revive(services, channel);
  },
};

/** Tests each key separately: the rejection of one key says nothing about the others. */
async function revive({ db, probe }: JobServices, channel: ActiveChannel): Promise<void> {
  const model = testModelOf(channel, channel.provider);
  if (model === undefined) return;
  for (const key of channel.keys.length === 0 ? [undefined] : channel.keys) {
    const keys = key === undefined ? [] : [key];
    const result = await probeChannel(probe, { ...channel, keys }, model);
    if (result.ok) await reviveChannel(db, channel.id, key?.id, reasonOf("testSucceeded", { model }));
  }
}
