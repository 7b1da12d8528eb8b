import { createMarkedCache } from "./answer/marked-cache.ts";
import { createPromptCache } from "./answer/prompt-cache.ts";
import type { Behaviour } from "./answer/switches.ts";

/** The calls that a rule applies to. An absent field means all. */
export interface Only {
  key?: string;
  model?: string;
  /** Prefix of the path, e.g. `/v1/messages`. */
  path?: string;
}

/** Sets switches from inside the process, for tests. Key, model name and text of a call take precedence. */
export interface DemoControl {
  /**
   * Adds a rule. `times` is the number of calls it applies to; without it, the rule applies until `reset`.
   */
  set(behaviour: Behaviour & { only?: Only; times?: number }): void;
  /** Removes all rules and clears the log of calls. */
  reset(): void;
}

interface Rule {
  behaviour: Behaviour;
  only: Only;
  left: number;
}

export class Rules {
  #rules: Rule[] = [];
  readonly promptCache = createPromptCache();
  readonly markedCache = createMarkedCache();

  add({ only = {}, times = Infinity, ...behaviour }: Behaviour & { only?: Only; times?: number }): void {
    this.#rules.push({ behaviour, only, left: times });
  }

  clear(): void {
    this.#rules = [];
  }

  /** Returns the behaviour for this call, and counts the call for the rules that apply. */
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
