import type { SessionAgent } from "@gateway/shared/usage/session";
import { describe, expect, it } from "vitest";
import { buildAgentTree } from "./agent-tree.ts";

const sums = { calls: 1, failed: 0, input: 1, cached: 0, output: 1, quota: 1, saved: 0, write_extra: 0 };
const agent = (name: string, parent = ""): SessionAgent => ({
  agent: name,
  parent,
  first_at: 1,
  last_at: 1,
  ...sums,
});
const drawn = (agents: SessionAgent[]) =>
  buildAgentTree(agents).map((row) => `${"-".repeat(row.depth)}${row.agent}`);

describe("the tree of agents", () => {
  it("has each agent below its parent", () => {
    expect(drawn([agent("b", "a"), agent(""), agent("a"), agent("c", "b"), agent("d", "a")])).toEqual([
      "",
      "-a",
      "--b",
      "---c",
      "--d",
    ]);
  });

  it("has agents with an unknown parent at the top where there is no main agent", () => {
    expect(drawn([agent("b", "gone"), agent("c", "b")])).toEqual(["b", "-c"]);
  });

  it("contains agents once that name each other or themselves", () => {
    expect(drawn([agent("a", "b"), agent("b", "a"), agent("c", "c")])).toEqual(["c", "a", "-b"]);
  });
});
