import type { Behaviour } from "./switches.ts";

/** Which calls a rule is for; an absent field means all. */
export interface Only {
  key?: string;
  model?: string;
  /** Beginning of the path, e.g. `/v1/messages`. */
  path?: string;
}

/** Switches from inside the process, for tests. Key, model name and text of a call have the last word. */
export interface DemoControl {
  /** Adds to what was set before. `times` counts the calls it holds for; without it, until `reset`. */
  set(behaviour: Behaviour & { only?: Only; times?: number }): void;
  /** Back to ordinary, and the log of calls is empty. */
  reset(): void;
}

interface Rule {
  behaviour: Behaviour;
  only: Only;
  left: number;
}

export class Rules {
  #rules: Rule[] = [];

  add({ only = {}, times = Infinity, ...behaviour }: Behaviour & { only?: Only; times?: number }): void {
    this.#rules.push({ behaviour, only, left: times });
  }

  clear(): void {
    this.#rules = [];
  }

  /** What holds for this call; it counts as one of their times. */
  take(call: Required<Only>): Behaviour {
    if (this.#rules.length === 0) return {};
    const found = this.#rules.filter(({ only, left }) => left > 0 && fits(only, call));
    for (const rule of found) rule.left -= 1;
    return Object.assign({}, ...found.map((rule) => rule.behaviour)) as Behaviour;
  }
}

function fits(only: Only, call: Required<Only>): boolean {
  return (
    (only.key === undefined || only.key === call.key) &&
    (only.model === undefined || only.model === call.model) &&
    (only.path === undefined || call.path.startsWith(only.path))
  );
}
