/** Apart from the schemas of channels, which screens that only show a state do not need. */
export const ChannelStatus = { unknown: 0, enabled: 1, disabled: 2, autoDisabled: 3 } as const;
