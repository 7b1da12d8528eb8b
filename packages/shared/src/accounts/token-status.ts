/**
 * States of a token. `expired` and `exhausted` are derived on read; only the first two are stored. A file of
 * its own, because some screens need the states without the token schemas.
 */
export const TokenStatus = { enabled: 1, disabled: 2, expired: 3, exhausted: 4 } as const;

/** Value of `expired_time` for a token without an expiry. */
export const NEVER_EXPIRES = -1;

/** Name of the token that the console's playground creates and uses. */
export const PLAYGROUND_TOKEN = "sys_playground";
