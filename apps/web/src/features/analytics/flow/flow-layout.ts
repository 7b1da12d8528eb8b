/**
 * Layout of the flow of calls: nodes in columns, with heights
 * proportional to their amounts, and bands between them. Pure.
 */
import type { Amounts, FlowPath, Insights } from "@gateway/shared/usage/insights";
import type { Metric } from "#features/analytics/period.ts";

export const flowColumns = ["user", "token", "group", "model", "channel"] as const;
export type FlowColumn = (typeof flowColumns)[number];

export type FlowNode = {
  column: number;
  /** "" stands for all members without a node of their own. */
  key: string;
  name: string;
  value: number;
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

export const flowSize = { height: 430, gap: 10, mostNodes: 8 } as const;

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
  const columns = flowColumns.map((_, column) =>
    sums(merged.map(({ keys, value }) => [keys[column] ?? "", value])),
  );
  const most = Math.max(...columns.map(({ size }) => size));
  const scale = (flowSize.height - flowSize.gap * (most - 1)) / total;
  const nodes = columns.map((values, column) => {
    let top = 0;
    // The others come last, regardless of their sum.
    const ordered = [...values].sort(
      ([one, a], [other, b]) => Number(one === "") - Number(other === "") || b - a,
    );
    return ordered.map(([key, value]): FlowNode => {
      const node = {
        column,
        key,
        name: key === "" ? "" : nameOf(flows, flowColumns[column] ?? "user", key, groupName),
        value,
        top,
        height: value * scale,
      };
      top += node.height + flowSize.gap;
      return node;
    });
  });
  return { nodes: nodes.flat(), bands: bandsOf(merged, nodes, scale), total };
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

function bandsOf(parts: readonly FlowPart[], nodes: readonly FlowNode[][], scale: number): FlowBand[] {
  return nodes.slice(1).flatMap((targets, column) => {
    const sources = nodes[column] ?? [];
    const values = sums(
      parts.map(({ keys, value }) => [JSON.stringify([keys[column], keys[column + 1]]), value]),
    );
    const arrived = new Map<FlowNode, number>();
    return sources.flatMap((from) => {
      let offset = 0;
      return targets.flatMap((to): FlowBand[] => {
        const value = values.get(JSON.stringify([from.key, to.key]));
        if (value === undefined) return [];
        const height = value * scale;
        const came = arrived.get(to) ?? 0;
        const band = { from, to, value, fromTop: from.top + offset, toTop: to.top + came, height };
        offset += height;
        arrived.set(to, came + height);
        return [band];
      });
    });
  });
}
