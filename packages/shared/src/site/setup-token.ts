/** Header of every request of the import wizard: the token of the set-up link. */
export const setupTokenHeader = "x-setup-token";
