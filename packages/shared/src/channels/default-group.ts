/** Group of every new account. It cannot be deleted or disabled. */
export const DEFAULT_GROUP = "default";
