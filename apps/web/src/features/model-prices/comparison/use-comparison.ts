/** The models that are compared, kept in the address. */
import { useMemo } from "react";

/** Maximum number of models side by side. */
export const MAX_COMPARED_MODELS = 3;

export type Comparison = {
  models: string[];
  isFull: boolean;
  toggle: (model: string) => void;
  clear: () => void;
};

/**
 * @param stored names encoded for an address, separated by commas
 * @param onChange receives the new value for the address
 */
export function useComparison(stored: string, onChange: (stored: string) => void): Comparison {
  const models = useMemo(() => namesIn(stored), [stored]);
  return {
    models,
    isFull: models.length >= MAX_COMPARED_MODELS,
    toggle: (model) => {
      const next = models.includes(model) ? models.filter((name) => name !== model) : [...models, model];
      onChange(next.slice(0, MAX_COMPARED_MODELS).map(encodeURIComponent).join(","));
    },
    clear: () => onChange(""),
  };
}

/** An address that was edited by hand may contain anything. */
export function namesIn(stored: string): string[] {
  const names = stored.split(",").flatMap((name) => {
    try {
      return name === "" ? [] : [decodeURIComponent(name)];
    } catch {
      return [];
    }
  });
  return [...new Set(names)].slice(0, MAX_COMPARED_MODELS);
}
