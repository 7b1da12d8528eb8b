import { watchOrders as watch } from "#domain/payments/watch-orders.ts";
import type { Job } from "./job.ts";

/** Queries payment gateways about orders without a notification, and closes orders that no one pays. */
export const watchOrders: Job = {
  name: "watch-orders",
  every: "* * * * *",
  restingEvery: "*/5 * * * *",
  run: ({ payments, onError }) => watch(payments, onError),
};
