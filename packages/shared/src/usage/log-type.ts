/** Kinds of log rows, as One Hub numbers them. In a file without schemas, so that screens can load it alone. */
export const LogType = { all: 0, topUp: 1, consume: 2, manage: 3, system: 4, failed: 5 } as const;
