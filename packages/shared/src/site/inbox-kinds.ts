/** Kinds of notifications. */
export const inboxKinds = ["channels", "calls", "billing", "prices", "security", "system"] as const;
