/** Calls after which an account no longer needs the steps of getting started. */
export const FIRST_CALLS = 20;
