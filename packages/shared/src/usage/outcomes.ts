/** Outcomes of a call. */
/** How a call ended. docs/money.md describes what each outcome costs. */
export const outcomes = ["complete", "client-left", "upstream-died", "interrupted", "failed"] as const;
