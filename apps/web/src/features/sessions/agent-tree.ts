import type { SessionAgent } from "@gateway/shared/usage/session";

/** An agent at its place in the tree. */
export type TreeRow = SessionAgent & {
  /** 0 for the topmost agents. */
  depth: number;
};

/**
 * Returns the agents in the order of a tree: each below its parent, siblings in the order of the list. An
 * agent whose parent is not in the list is below the main agent (""), if there is one.
 */
export function buildAgentTree(agents: readonly SessionAgent[]): TreeRow[] {
  const names = new Set(agents.map(({ agent }) => agent));
  const parentOf = ({ agent, parent }: SessionAgent) => {
    if (agent === "") return undefined;
    if (names.has(parent) && parent !== agent) return parent;
    return names.has("") ? "" : undefined;
  };
  const rows: TreeRow[] = [];
  const placed = new Set<string>();
  const place = (agent: SessionAgent, depth: number) => {
    if (placed.has(agent.agent)) return;
    placed.add(agent.agent);
    rows.push({ ...agent, depth });
    for (const each of agents) if (parentOf(each) === agent.agent) place(each, depth + 1);
  };
  for (const agent of agents) if (parentOf(agent) === undefined) place(agent, 0);
  // Agents that name each other as parent are in no tree.
  for (const agent of agents) place(agent, 0);
  return rows;
}
