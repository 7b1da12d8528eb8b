import { expireBalances } from "#domain/ledger/ledger-expiry.ts";
import type { Job } from "./job.ts";

/** Takes away balances whose time has passed. */
export const expireOldBalances: Job = {
  name: "expire-balances",
  every: "*/10 * * * *",
  async run({ db, pool }) {
    await expireBalances({ db, pool });
  },
};
