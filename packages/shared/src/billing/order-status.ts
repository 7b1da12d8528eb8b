/** States of an order. */
/** States of an order. `success` and `refunded` are final; in the others a late payment is still credited. */
export const orderStatuses = ["pending", "success", "failed", "closed", "refunded"] as const;
