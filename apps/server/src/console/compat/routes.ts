import { channelTagCompat } from "./channel-tags.ts";
import { channelCompat } from "./channels.ts";
import { modelInfoCompat } from "./model-info.ts";
import { optionCompat } from "./options.ts";
import { orderCompat } from "./orders.ts";
import { paymentCompat } from "./payments.ts";
import { priceCompat } from "./prices.ts";
import type { CompatRoute } from "./route.ts";
import { tokenCompat } from "./tokens.ts";

/** By method and path below /api, as the native route is registered. */
export const compatRoutes: Readonly<Record<string, CompatRoute>> = {
  ...channelCompat,
  ...channelTagCompat,
  ...optionCompat,
  ...priceCompat,
  ...modelInfoCompat,
  ...paymentCompat,
  ...orderCompat,
  ...tokenCompat,
};

/** Asked by machines that are no callers of One Hub's API; they are always told the true status. */
export const untouched: ReadonlySet<string> = new Set([
  "GET /health",
  "GET /ready",
  "GET /icon",
  "GET /openapi.json",
  "GET /payment/notify/:uuid",
  "POST /payment/notify/:uuid",
  "GET /payment/return/:trade_no",
  "POST /telegram/:secret",
]);
