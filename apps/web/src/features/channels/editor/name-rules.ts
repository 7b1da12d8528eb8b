/** Simplified names for a provider's models, and their mapping to the provider's names. Pure. */
export type NameRules = {
  /** "openai/gpt-4o" → "gpt-4o" */
  dropOwner: boolean;
  lowerCase: boolean;
  /** "gpt-4o-2024-11-20" → "gpt-4o" */
  dropDate: boolean;
  /** Removed from the start or end of names. */
  prefix: string;
  suffix: string;
  /** Bills the requested name. */
  billRequested: boolean;
  /** The provider's own name stays available too. */
  keepOriginal: boolean;
};

export const noRules: NameRules = {
  dropOwner: false,
  lowerCase: false,
  dropDate: false,
  prefix: "",
  suffix: "",
  billRequested: false,
  keepOriginal: false,
};

const date = /[-@](?:20\d{2}-?[01]\d-?[0-3]\d|[01]\d[0-3]\d)$/;

export function friendlyName(model: string, rules: NameRules): string {
  let name = model;
  if (rules.dropOwner) name = name.slice(name.lastIndexOf("/") + 1);
  const { prefix, suffix } = rules;
  if (prefix !== "" && name.startsWith(prefix)) name = name.slice(prefix.length);
  if (suffix !== "" && name.endsWith(suffix)) name = name.slice(0, -suffix.length);
  if (rules.dropDate) name = name.replace(date, "");
  if (rules.lowerCase) name = name.toLowerCase();
  // A rule that leaves an empty name or starts it with "*" does not apply to this name.
  return name === "" || name.startsWith("*") ? model : name;
}

/**
 * Returns the new names of the models. When two models get the same name, the first one takes it and the
 * other keeps its own, so that none is lost.
 */
export function applyRules(
  models: readonly string[],
  rules: NameRules,
): { models: string[]; mapping: Record<string, string> } {
  const usedNames = new Set(models);
  const out = new Set<string>();
  const mapping: Record<string, string> = {};
  for (const model of models) {
    const name = model.endsWith("*") ? model : friendlyName(model, rules);
    if (name === model || usedNames.has(name)) {
      out.add(model);
      continue;
    }
    usedNames.add(name);
    out.add(name);
    mapping[name] = rules.billRequested ? `+${model}` : model;
    if (rules.keepOriginal) out.add(model);
  }
  return { models: [...out], mapping };
}
