/** Key prefix of every query about channels. Mutations invalidate it. */
export const allChannels = ["channels"] as const;
