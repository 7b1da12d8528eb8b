/**
 * `expired` and `exhausted` are derived when a token is read; only the first two are stored. Apart from the schemas of
 * tokens, which screens that only show a state do not need.
 */
export const TokenStatus = { enabled: 1, disabled: 2, expired: 3, exhausted: 4 } as const;
