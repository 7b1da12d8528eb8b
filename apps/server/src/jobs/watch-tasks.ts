import { setTimeout as sleep } from "node:timers/promises";
import { pollTasks } from "#relay/tasks/poll-tasks.ts";
import { tellAgain } from "#relay/tasks/tell-clients.ts";
import type { Job } from "./job.ts";

const ROUNDS = 6;
const PAUSE_MS = 9_000;

/** Polls providers for tasks and notifies clients of ended ones, several times a minute. */
export const watchTasks: Job = {
  name: "watch-tasks",
  every: "* * * * *",
  restingEvery: "*/5 * * * *",
  atStart: true,
  async run({ tasks, activity, stopping }) {
    for (let round = 1; round <= ROUNDS; round += 1) {
      const polled = await pollTasks(tasks);
      if (polled > 0) activity.touch();
      await tellAgain(tasks);
      if (round === ROUNDS || activity.isResting || stopping.aborted) return;
      await sleep(PAUSE_MS, undefined, { signal: stopping }).catch(() => {});
    }
  },
};
