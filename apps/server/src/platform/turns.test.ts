import { expect, it } from "vitest";
import { createTurns } from "./turns.ts";

it("turns: two works of one owner run at once, the others wait in order, and other owners do not wait", async () => {
  const turns = createTurns<string>(2, 3, () => new Error("full"));
  const ends: (() => void)[] = [];
  const begun: string[] = [];
  const work = (owner: string, name: string) =>
    turns.run(owner, () => {
      begun.push(name);
      return new Promise<void>((resolve) => ends.push(resolve));
    });
  const all = ["a1", "a2", "a3", "a4", "a5"].map((name) => work("a", name));
  await expect(work("a", "a6")).rejects.toThrow("full");
  all.push(work("b", "b1"));
  await Promise.resolve();
  expect(begun).toEqual(["a1", "a2", "b1"]);
  while (ends.length > 0) {
    ends.shift()?.();
    await new Promise((resolve) => setImmediate(resolve));
  }
  await Promise.all(all);
  expect(begun).toEqual(["a1", "a2", "b1", "a3", "a4", "a5"]);
  await expect(turns.run("a", () => Promise.reject(new Error("failed")))).rejects.toThrow("failed");
  expect(await turns.run("a", () => Promise.resolve(1))).toBe(1);
});
