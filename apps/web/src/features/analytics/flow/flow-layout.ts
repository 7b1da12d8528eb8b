/**
 * Layout of the flow of calls: nodes in columns, with heights
 * proportional to their amounts, and bands between them. Pure.
 */
import type { Amounts, FlowPath, Insights } from "@gateway/shared/usage/insights";
import { sankey, type SankeyGraph } from "d3-sankey";
import type { Metric } from "#features/analytics/period.ts";

export const flowColumns = ["user", "token", "group", "model", "channel"] as const;
export type FlowColumn = (typeof flowColumns)[number];

export type FlowNode = {
  column: number;
  /** "" stands for all members without a node of their own. */
  key: string;
  name: string;
  value: number;
  left: number;
  top: number;
  height: number;
};

export type FlowBand = {
  from: FlowNode;
  to: FlowNode;
  value: number;
  /** Start and end of the band, from the top of the chart. */
  fromTop: number;
  toTop: number;
  height: number;
};

export type FlowLayout = { nodes: FlowNode[]; bands: FlowBand[]; total: number };

/**
 * Size of the diagram without its labels, in its own units. Nodes are far enough apart for a line of text each, and
 * the labels of the last column have space beside it.
 */
export const flowSize = { width: 830, height: 430, bar: 12, gap: 16, mostNodes: 8 } as const;

type Flows = Insights["flows"];

type GroupName = (symbol: string) => string;

export const amountOf = (amounts: Amounts, metric: Metric): number => amounts[metric];

const keyOf: Record<FlowColumn, (path: FlowPath) => string> = {
  user: (path) => String(path.user_id),
  token: (path) => String(path.token_id),
  group: (path) => path.group,
  model: (path) => path.model,
  channel: (path) => String(path.channel_id),
};

/** Returns the name of a member of a column; the number of a deleted one. */
export function nameOf(flows: Flows, column: FlowColumn, key: string, groupName: GroupName): string {
  if (column === "group") return groupName(key);
  if (column === "model") return key;
  const names = { user: flows.users, token: flows.tokens, channel: flows.channels }[column];
  return names[key] || (key === "0" ? "–" : `#${key}`);
}

export function layFlows(flows: Flows, metric: Metric, groupName: GroupName): FlowLayout {
  const parts = flows.paths.map((path) => ({
    keys: flowColumns.map((column) => keyOf[column](path)),
    value: amountOf(path, metric),
  }));
  parts.push({ keys: flowColumns.map(() => ""), value: amountOf(flows.rest, metric) });
  const shown = flowColumns.map((_, column) => largest(parts, column));
  const merged = parts
    .filter(({ value }) => value > 0)
    .map(({ keys, value }) => ({
      keys: keys.map((key, column) => (shown[column]?.has(key) ? key : "")),
      value,
    }));
  const total = merged.reduce((sum, { value }) => sum + value, 0);
  if (total === 0) return { nodes: [], bands: [], total };
  const ids = flowColumns.map((_, column) =>
    sums(merged.map(({ keys, value }) => [keys[column] ?? "", value])),
  );
  const nodes = ids.flatMap((values, column) =>
    [...values].map(([key, value]) => ({
      id: `${column} ${key}`,
      column,
      key,
      name: key === "" ? "" : nameOf(flows, flowColumns[column] ?? "user", key, groupName),
      amount: value,
    })),
  );
  const layout = sankey<NodeData, LinkData>()
    .nodeId((node) => node.id)
    .nodeAlign((node) => node.column)
    // The others come last, regardless of their sum.
    .nodeSort((one, other) => Number(one.key === "") - Number(other.key === "") || other.amount - one.amount)
    .nodeWidth(flowSize.bar)
    .nodePadding(flowSize.gap)
    .extent([
      [0, 0],
      [flowSize.width, flowSize.height],
    ])({ nodes, links: linksOf(merged) });
  return layoutOf(layout, total);
}

type NodeData = { id: string; column: number; key: string; name: string; amount: number };
type LinkData = { source: string; target: string; value: number };

/** Returns one link per pair of neighbouring members. */
function linksOf(parts: readonly FlowPart[]): LinkData[] {
  return flowColumns.slice(1).flatMap((_, column) => {
    const pairs = sums(
      parts.map(({ keys, value }) => [JSON.stringify([keys[column], keys[column + 1]]), value]),
    );
    return [...pairs].map(([pair, value]) => {
      const [from = "", to = ""] = JSON.parse(pair) as string[];
      return { source: `${column} ${from}`, target: `${column + 1} ${to}`, value };
    });
  });
}

function layoutOf(graph: SankeyGraph<NodeData, LinkData>, total: number): FlowLayout {
  const placed = new Map(
    graph.nodes.map(({ id, column, key, name, amount, x0 = 0, y0 = 0, y1 = 0 }) => [
      id,
      { column, key, name, value: amount, left: x0, top: y0, height: y1 - y0 },
    ]),
  );
  const nodeOf = (end: unknown) => placed.get((end as NodeData).id);
  const bands = graph.links.flatMap(({ source, target, value, width = 0, y0 = 0, y1 = 0 }) => {
    const [from, to] = [nodeOf(source), nodeOf(target)];
    if (from === undefined || to === undefined) return [];
    return [{ from, to, value, fromTop: y0 - width / 2, toTop: y1 - width / 2, height: width }];
  });
  const nodes = [...placed.values()].sort((one, other) => one.column - other.column || one.top - other.top);
  return { nodes, bands, total };
}

type FlowPart = { keys: string[]; value: number };

function largest(parts: readonly FlowPart[], column: number): Set<string> {
  const values = sums(parts.map(({ keys, value }) => [keys[column] ?? "", value]));
  values.delete("");
  const ordered = [...values].filter(([, value]) => value > 0).sort(([, a], [, b]) => b - a);
  return new Set(ordered.slice(0, flowSize.mostNodes).map(([key]) => key));
}

function sums(values: readonly (readonly [string, number])[]): Map<string, number> {
  const result = new Map<string, number>();
  for (const [key, value] of values) result.set(key, (result.get(key) ?? 0) + value);
  return result;
}
