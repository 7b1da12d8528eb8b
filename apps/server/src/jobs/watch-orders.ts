import { watchOrders as watch } from "#domain/payments/watch-orders.ts";
import type { Job } from "./job.ts";

/** Asks gateways for orders whose notice has not come, and gives up those that no one pays. */
export const watchOrders: Job = {
  name: "watch-orders",
  every: "* * * * *",
  run: ({ payments, onError }) => watch(payments, onError),
};
