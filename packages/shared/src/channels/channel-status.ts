/**
 * States of a channel. A file of its own, because some screens need the states without the channel schemas.
 */
export const ChannelStatus = { unknown: 0, enabled: 1, disabled: 2, autoDisabled: 3 } as const;

/** Fault code for a model that no short test request fits. It says nothing about the channel's state. */
export const cannotProbe = "cannot-probe";
