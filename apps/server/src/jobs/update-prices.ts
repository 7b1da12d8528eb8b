import { updatePricesIfDue } from "#domain/billing/price-updates.ts";
import type { Job } from "./job.ts";

/** Takes over the price list from its address as often as the operator wants. */
export const updatePrices: Job = {
  name: "update-prices",
  every: "23 * * * *",
  async run({ db, probe }) {
    await updatePricesIfDue(db, probe.settings.current());
  },
};
