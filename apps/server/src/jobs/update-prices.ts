import { raiseNotice } from "#domain/notices/notices.ts";
import { updatePricesIfDue } from "#domain/pricing/price-updates.ts";
import type { Job } from "./job.ts";

/** Updates the price list from its URL at the operator's interval. */
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
