import { ChannelStatus } from "@gateway/shared/channels/channel-status";
import { currentTime } from "#platform/clock.ts";
import type { Job } from "./job.ts";
import { startRunIfDue } from "./start-run.ts";

/** Compares all channels with the model lists of their providers at the operator's interval. */
export const checkModelLists: Job = {
  name: "check-model-lists",
  every: "42 * * * *",
  async run(services) {
    const { db, probe } = services;
    const hours = probe.settings.current().ModelListCheckHours;
    if (hours === 0) return;
    // The operator of a new installation has just read the lists.
    const oldEnough = new Date(currentTime().getTime() - hours * 3_600_000);
    const channel = await db.channel.findFirst({
      where: {
        deleted_at: null,
        status: { not: ChannelStatus.disabled },
        created_time: { lte: oldEnough },
      },
      select: { id: true },
    });
    if (channel === null) return;
    // A tick may come some minutes early.
    await startRunIfDue(services, "models", hours * 60 - 5);
  },
};
