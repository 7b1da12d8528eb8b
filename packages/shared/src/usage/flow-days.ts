/** Maximum number of days for flows and margins, counted back from the end of the period. */
export const FLOW_DAYS = 31;
