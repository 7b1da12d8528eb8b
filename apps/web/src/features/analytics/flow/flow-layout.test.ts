import type { Insights } from "@gateway/shared/usage/insights";
import { describe, expect, it } from "vitest";
import { flowSize, layFlows } from "./flow-layout.ts";

const nothing = { quota: 0, requests: 0, tokens: 0, failed: 0 };

const path = (user_id: number, model: string, quota: number) => ({
  ...nothing,
  user_id,
  token_id: user_id,
  group: "default",
  model,
  channel_id: 1,
  quota,
});

const flows = (paths: Insights["flows"]["paths"], rest = nothing): Insights["flows"] => ({
  since: 0,
  paths,
  rest,
  users: { "1": "ann", "2": "ben" },
  tokens: {},
  channels: { "1": "main" },
});

const groupName = (symbol: string) => ({ default: "Default group" })[symbol] ?? symbol;

describe("the flow of calls", () => {
  it("has the whole amount in every column, and equal amounts entering and leaving a node", () => {
    const { nodes, bands, total } = layFlows(
      flows([path(1, "a", 30), path(1, "b", 10), path(2, "b", 60)], { ...nothing, quota: 5 }),
      "quota",
      groupName,
    );
    expect(total).toBe(105);
    for (const column of [0, 1, 2, 3, 4]) {
      const sum = nodes.filter((node) => node.column === column).reduce((all, { value }) => all + value, 0);
      expect(sum).toBe(105);
    }
    for (const node of nodes.filter(({ column }) => column > 0)) {
      const came = bands.filter(({ to }) => to === node).reduce((all, { value }) => all + value, 0);
      expect(came).toBe(node.value);
    }
    expect(nodes.filter(({ column }) => column === 0).map(({ name }) => name)).toEqual(["ben", "ann", ""]);
    expect(nodes.find(({ key }) => key === "default")?.name).toBe("Default group");
  });

  it("merges small members into one node at the end, and fits its height", () => {
    const many = Array.from({ length: 30 }, (_, index) => path(index + 1, `m${index}`, 100 - index));
    const { nodes } = layFlows(flows(many), "quota", groupName);
    const users = nodes.filter(({ column }) => column === 0);
    expect(users).toHaveLength(flowSize.mostNodes + 1);
    expect(users.at(-1)).toMatchObject({ key: "" });
    for (const node of nodes) expect(node.top + node.height).toBeLessThanOrEqual(flowSize.height + 0.01);
  });

  it("is empty without an amount", () => {
    expect(layFlows(flows([path(1, "a", 30)]), "tokens", groupName)).toEqual({
      nodes: [],
      bands: [],
      total: 0,
    });
  });
});
