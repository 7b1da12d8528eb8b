import { lookupTable } from "@gateway/shared/lookup-table";
import { channelTagCompat } from "./channel-tags.ts";
import { channelCompat } from "./channels.ts";
import { groupCompat } from "./groups.ts";
import { logCompat } from "./logs.ts";
import { modelInfoCompat } from "./model-info.ts";
import { optionCompat } from "./options.ts";
import { orderCompat } from "./orders.ts";
import { paymentCompat } from "./payments.ts";
import type { CompatRoute } from "./plugin/route.ts";
import { priceCompat } from "./prices.ts";
import { redemptionCompat } from "./redemptions.ts";
import { signInCompat } from "./sign-in.ts";
import { statisticsCompat } from "./statistics.ts";
import { taskCompat } from "./tasks.ts";
import { telegramCompat } from "./telegram.ts";
import { tokenCompat } from "./tokens.ts";
import { userCompat } from "./users.ts";

/** Compatibility routes by method and path below /api, as the native route is registered. */
export const compatRoutes = lookupTable<CompatRoute>({
  ...channelCompat,
  ...channelTagCompat,
  ...groupCompat,
  ...logCompat,
  ...modelInfoCompat,
  ...optionCompat,
  ...orderCompat,
  ...paymentCompat,
  ...priceCompat,
  ...redemptionCompat,
  ...signInCompat,
  ...statisticsCompat,
  ...taskCompat,
  ...telegramCompat,
  ...tokenCompat,
  ...userCompat,
});

/** Routes that monitoring systems call, not callers of One Hub's API. They always return the true status. */
export const untouched: ReadonlySet<string> = new Set([
  "GET /health",
  "GET /ready",
  "GET /icon",
  "GET /openapi.json",
  "GET /openapi-compat.json",
  "GET /payment/return/:trade_no",
  "POST /telegram/:secret",
]);
