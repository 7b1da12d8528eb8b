import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { expect, it } from "vitest";

const root = join(import.meta.dirname, "../../../..");

interface TurboTask {
  taskId: string;
  dependencies: string[];
}

/** Returns what turbo would run. */
function plannedTasks(): TurboTask[] {
  const output = execFileSync(
    join(root, "node_modules/.bin/turbo"),
    ["run", "typecheck", "lint", "--dry=json"],
    {
      cwd: root,
      encoding: "utf8",
      timeout: 60_000,
      maxBuffer: 50_000_000,
      env: { ...process.env, TURBO_TELEMETRY_DISABLED: "1" },
    },
  );
  return (JSON.parse(output) as { tasks: TurboTask[] }).tasks;
}

it("turbo checks a package again when the shared schemas have changed", () => {
  const tasks = plannedTasks().filter(({ taskId }) => !taskId.startsWith("@gateway/shared#"));
  expect(tasks.map(({ taskId }) => taskId)).toContain("@gateway/server#typecheck");
  const unaware = tasks.filter(({ taskId, dependencies }) => {
    const [, task] = taskId.split("#");
    return !dependencies.includes(`@gateway/shared#${task}`);
  });
  expect(unaware.map(({ taskId }) => taskId)).toEqual([]);
});
