/** Dimensions of period statistics. */
/** Dimensions of period statistics. `model_type` is the owner of the model. */
export const groupTypes = ["model_type", "model", "channel", "user", "group"] as const;
/** Dimensions of the own usage. `token` is an API key, `tag` the billing tag that a key has now. */
export const ownGroupTypes = ["model", "model_type", "token", "tag", "group"] as const;
