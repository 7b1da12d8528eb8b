import { reasonOf } from "@gateway/shared/reasons";
import { reviveChannel } from "#domain/channels/health/channel-state.ts";
import { type ActiveChannel, testModelOf } from "#domain/channels/selection/active-channel.ts";
import { loadChannels } from "#domain/channels/selection/load-channels.ts";
import { probeChannel } from "#relay/probe/probe.ts";
import type { Job, JobServices } from "./job.ts";

/** Tests channels and keys that were disabled automatically. Those disabled by a person stay disabled. */
export const reviveChannels: Job = {
  name: "revive-channels",
  every: "*/5 * * * *",
  async run(services) {
    const { db, secrets, probe, keyReferences } = services;
    if (!probe.settings.current().AutomaticEnableChannelEnabled) return;
    const read = { db, secrets, providers: probe.providers, keyReferences };
    const off = await loadChannels(read, { status: 3, keys: [1, 3] });
    const withoutKeys = await loadChannels(read, { status: 1, keys: [3], onlyWithKeys: true });
    const waiting = [...off, ...withoutKeys];
    const worker = async () => {
      for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
        if (services.stopping.aborted) return;
        await revive(services, next).catch(services.onError);
      }
    };
    // A silent provider takes its whole timeout, and must not delay all others.
    await Promise.all(Array.from({ length: AT_ONCE }, worker));
  },
};

const AT_ONCE = 4;

/** Tests each key separately: the rejection of one key says nothing about the others. */
async function revive({ db, probe, stopping }: JobServices, channel: ActiveChannel): Promise<void> {
  const model = testModelOf(channel, channel.provider);
  if (model === undefined) return;
  for (const key of channel.keys.length === 0 ? [undefined] : channel.keys) {
    if (stopping.aborted) return;
    const keys = key === undefined ? [] : [key];
    const result = await probeChannel(probe, { ...channel, keys }, model);
    if (result.ok) await reviveChannel(db, channel.id, key?.id, reasonOf("testSucceeded", { model }));
  }
}
