import { expect, it } from "vitest";
import { barOf, createProgress } from "./progress.ts";

function terminal(isInteractive: boolean) {
  const lines: string[] = [];
  return {
    lines,
    isInteractive,
    err: (text: string) => void lines.push(text),
    redraw: (text: string) => void lines.push(`> ${text}`),
  };
}

it("prints few lines without a terminal, and the last number of each kind", () => {
  const shown = terminal(false);
  let now = 0;
  const progress = createProgress(shown, new Map([["users", 4_000]]), () => now);
  for (const rows of [1_000, 2_000, 3_000, 4_000]) {
    progress.note("users", rows);
    now += 1_000;
  }
  progress.note("tokens", 500);
  now += 9_000;
  progress.note("tokens", 900);
  progress.end();
  expect(shown.lines).toEqual(["users: 1000", "users: 4000", "tokens: 500", "tokens: 900"]);
});

it("draws a bar on a terminal", () => {
  const shown = terminal(true);
  let now = 0;
  const progress = createProgress(shown, new Map([["users", 4_000]]), () => now);
  progress.note("users", 1_000);
  now = 500;
  progress.note("users", 4_000);
  progress.note("logs", 20);
  progress.end();
  expect(shown.lines).toEqual([
    "> users            [######------------------] 25 % of 4000",
    "> users            [########################] 100 % of 4000",
    "",
    "> logs             20",
    "",
  ]);
  expect(barOf("proof", 0, undefined)).toBe("proof            …");
});
