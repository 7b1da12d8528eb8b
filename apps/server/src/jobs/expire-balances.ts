import { expireBalances } from "#domain/ledger/balances/expire-balances.ts";
import type { Job } from "./job.ts";

/** Removes expired balances. */
export const expireOldBalances: Job = {
  name: "expire-balances",
  every: "*/10 * * * *",
  async run({ db, pool }) {
    await expireBalances({ db, pool });
  },
};
