import { raiseNotice } from "#domain/notices/notices.ts";
import { updatePricesIfDue } from "#domain/pricing/price-updates.ts";
import type { Job } from "./job.ts";

/** Takes over the price list from its address as often as the operator wants. */
export const updatePrices: Job = {
  name: "update-prices",
  every: "23 * * * *",
  async run({ db, probe }) {
    const update = await updatePricesIfDue(db, probe.settings.current());
    if (update === undefined || update.error === "") return;
    await raiseNotice(db, {
      event: "prices-failed",
      topic: "prices",
      facts: {},
      reason: { text: update.error, facts: update.error_facts },
    });
  },
};
