/** States of a redemption code. */
export const RedemptionStatus = { enabled: 1, disabled: 2, used: 3 } as const;
