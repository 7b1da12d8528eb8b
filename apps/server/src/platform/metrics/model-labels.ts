/**
 * Values of the label `model`. Clients invent names of models, and each value costs a series of every metric: only
 * names that the operator configured are values, and of these the first ones.
 */
export type ModelLabels = (model: string | undefined) => string;

const OTHER = "other";
const MOST = 100;

/**
 * @param isConfigured whether the operator named this model; called until the model has a label
 * @param most number of models with a label; further ones are "other"
 */
export function createModelLabels(isConfigured: (model: string) => boolean, most = MOST): ModelLabels {
  const labels = new Set<string>();
  return (model) => {
    if (model === undefined) return OTHER;
    if (labels.has(model)) return model;
    if (labels.size >= most || !isConfigured(model)) return OTHER;
    labels.add(model);
    return model;
  };
}
