/** States of an account. Files like this one are for screens that need the values without the schemas. */
export const UserStatus = { enabled: 1, disabled: 2 } as const;
