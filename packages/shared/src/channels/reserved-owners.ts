/** Ids up to this one are reserved for known providers. */
export const LAST_RESERVED_OWNER = 1_000;
