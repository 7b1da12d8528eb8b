/** Dimensions of period statistics. */
/** Dimensions of period statistics. `model_type` is the owner of the model. */
export const groupTypes = ["model_type", "model", "channel", "user", "group"] as const;
